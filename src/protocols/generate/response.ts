import { z } from "zod";
import { sumUsage, usage } from "../chat-completions/usage.js";
import type { GenerationAnswer } from "../generation-answer.js";
import { tokenLogprobs, toLogprobs } from "../logprobs.js";
import { routedExperts, toRoutedExperts } from "../routed-experts.js";
import { answerVersions, IdsJson, idList, toAnswerVersions } from "../token-ids.js";

export const generateResponseSchema = z.object({
  request_id: z.string().describe("The interaction id of the first choice, for /rl/set_reward."),
  choices: z.array(
    z.object({
      index: z.int(),
      interaction_id: z.string().describe("The interaction of this choice, for /rl/set_reward."),
      token_ids: idList.describe("All sampled ids in order."),
      finish_reason: z.enum(["stop", "length"]),
      logprobs: z.object({ content: tokenLogprobs }).nullable().describe("`token` is `token_id:` and the id."),
      routed_experts: routedExperts
        .unwrap()
        .describe("As in chat completions; null if the request does not ask for them."),
      ...answerVersions,
    }),
  ),
  usage,
});

const NO_IDS = new Int32Array();

type GenerateResponse = z.input<typeof generateResponseSchema>;
type Choice = GenerateResponse["choices"][number];

/** @param others the answers of the further choices */
export function toGenerateResponse(
  answer: GenerationAnswer,
  others: readonly GenerationAnswer[] = [],
): GenerateResponse {
  return {
    request_id: answer.interactionId,
    choices: [answer, ...others].map(toChoice),
    usage: sumUsage(answer, others),
  };
}

function toChoice({ interactionId, tokens, finishReason, sampled, experts }: GenerationAnswer, index: number): Choice {
  return {
    index,
    token_ids: new IdsJson(sampled?.ids ?? NO_IDS),
    finish_reason: finishReason === "length" ? "length" : "stop",
    logprobs: tokens ? { content: toLogprobs([tokens]) } : null,
    routed_experts: null,
    ...toRoutedExperts(experts),
    interaction_id: interactionId,
    ...(sampled && toAnswerVersions(sampled)),
  };
}
