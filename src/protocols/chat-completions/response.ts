import { z } from "zod";
import { toChatMessage } from "../../conversation/chat-message.js";
import { showAsText } from "../../conversation/media.js";
import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import { tokenLogprobs, toLogprobs } from "../logprobs.js";
import { routedExperts, toRoutedExperts } from "../routed-experts.js";
import { answerVersions, IdsJson, promptTokenIds, toAnswerVersions, tokenIds } from "../token-ids.js";
import { sumUsage, usage } from "./usage.js";

export const chatCompletionResponseSchema = z.object({
  id: z.string().describe("The interaction id of the first choice, for /rl/set_reward."),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      interaction_id: z.string().describe("The interaction of this choice, for /rl/set_reward."),
      message: z.looseObject({ role: z.literal("assistant"), content: z.string().nullable(), refusal: z.null() }),
      finish_reason: z.enum(["stop", "length", "tool_calls"]),
      logprobs: z.object({ content: tokenLogprobs, refusal: z.null() }).nullable(),
      token_ids: tokenIds,
      routed_experts: routedExperts,
      ...answerVersions,
    }),
  ),
  prompt_token_ids: promptTokenIds,
  usage,
});

export type ChatCompletionResponse = z.input<typeof chatCompletionResponseSchema>;
type Choice = ChatCompletionResponse["choices"][number];

/** @param others the answers of the further choices */
export function toChatCompletion(
  answer: GenerationAnswer,
  others: readonly GenerationAnswer[] = [],
): ChatCompletionResponse {
  return {
    id: answer.interactionId,
    object: "chat.completion",
    created: Math.floor(answer.createdAt / 1000),
    model: answer.model,
    choices: [answer, ...others].map(toChoice),
    ...toPromptIds(answer),
    usage: sumUsage(answer, others),
  };
}

/** Returns the ids of the prompt, if the request asks for token ids. */
export function toPromptIds({ promptIds }: AnswerStart): { readonly prompt_token_ids?: IdsJson } {
  return promptIds ? { prompt_token_ids: new IdsJson(promptIds) } : {};
}

function toChoice(
  { interactionId, message, tokens, finishReason, sampled, experts }: GenerationAnswer,
  index: number,
): Choice {
  return {
    index,
    message: Object.assign(toChatMessage(message), {
      role: "assistant" as const,
      content: toAnswerText(message),
      refusal: null,
    }),
    finish_reason: finishReason,
    logprobs: tokens ? { content: toLogprobs([tokens]), refusal: null } : null,
    interaction_id: interactionId,
    ...(sampled && { token_ids: new IdsJson(sampled.ids), ...toAnswerVersions(sampled) }),
    ...toRoutedExperts(experts),
  };
}

/** Like OpenAI: null if there are tool calls and no text, otherwise the text, which may be empty. */
function toAnswerText({ content, toolCalls }: GenerationAnswer["message"]): string | null {
  return content === "" && toolCalls !== undefined && toolCalls.length > 0 ? null : showAsText(content);
}
