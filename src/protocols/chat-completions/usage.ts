import { z } from "zod";
import { type GenerationAnswer, sumTokens } from "../generation-answer.js";

export const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
});

/** Returns the usage of a call. Like in OpenAI's API, the prompt counts once, however many choices there are. */
export function sumUsage(answer: GenerationAnswer, others: readonly GenerationAnswer[] = []): z.input<typeof usage> {
  const { promptTokens, cachedTokens } = answer;
  const { completionTokens, reasoningTokens } = sumTokens([answer, ...others]);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
