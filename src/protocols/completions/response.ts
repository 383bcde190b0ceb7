import { z } from "zod";
import { showAsText } from "../../conversation/media.js";
import { sumUsage, usage } from "../chat-completions/usage.js";
import type { GenerationAnswer } from "../generation-answer.js";
import { routedExperts, toRoutedExperts } from "../routed-experts.js";
import {
  answerVersions,
  IdsJson,
  LogprobListJson,
  numberList,
  promptTokenIds,
  toAnswerVersions,
  tokenIds,
} from "../token-ids.js";
import { TokenNamesJson, tokenNames } from "../token-names.js";

const logprobs = z.object({
  tokens: tokenNames,
  token_logprobs: numberList,
  top_logprobs: z.null(),
  text_offset: z.null(),
});

export const completionResponseSchema = z.object({
  id: z.string().describe("The interaction id of the first choice, for /rl/set_reward."),
  object: z.literal("text_completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      interaction_id: z.string().describe("The interaction of this choice, for /rl/set_reward."),
      text: z.string(),
      finish_reason: z.enum(["stop", "length"]),
      logprobs: logprobs.nullable(),
      prompt_token_ids: promptTokenIds,
      token_ids: tokenIds,
      routed_experts: routedExperts,
      ...answerVersions,
    }),
  ),
  usage,
});

type CompletionResponse = z.input<typeof completionResponseSchema>;
type Choice = CompletionResponse["choices"][number];

/** @param others the answers of the further choices */
export function toCompletion(answer: GenerationAnswer, others: readonly GenerationAnswer[] = []): CompletionResponse {
  const prompt = answer.promptIds && { prompt_token_ids: new IdsJson(answer.promptIds) };
  return {
    id: answer.interactionId,
    object: "text_completion",
    created: Math.floor(answer.createdAt / 1000),
    model: answer.model,
    choices: [answer, ...others].map((each, index) => ({ ...toChoice(each, index), ...prompt })),
    usage: sumUsage(answer, others),
  };
}

function toChoice(
  { interactionId, message, tokens, finishReason, sampled, experts }: GenerationAnswer,
  index: number,
): Choice {
  return {
    index,
    text: showAsText(message.content),
    finish_reason: finishReason === "length" ? "length" : "stop",
    logprobs: tokens
      ? {
          tokens: new TokenNamesJson(tokens),
          token_logprobs: new LogprobListJson(tokens.logprobs),
          top_logprobs: null,
          text_offset: null,
        }
      : null,
    interaction_id: interactionId,
    ...(sampled && { token_ids: new IdsJson(sampled.ids), ...toAnswerVersions(sampled) }),
    ...toRoutedExperts(experts),
  };
}
