import { z } from "zod";
import { engineSampling } from "../engine-sampling.js";
import { count, isDefault, noEffect, requestedModel, unsupported } from "../fields.js";
import { ignoredFields, listIgnoredFields } from "../ignored-fields.js";
import type { ModelRequest } from "../model-request.js";
import { openAiSampling, readOpenAiSampling } from "../openai-sampling.js";
import { promptIds } from "../prompt-ids.js";
import { checkChoices, type RequestPolicies } from "../request-policies.js";
import { returnRoutedExperts } from "../routed-experts.js";
import { returnTokenIds } from "../token-ids.js";
import { NO_CALL_RULES } from "../tool-choice.js";

/** The body of POST /v1/completions. Its prompt is one list of token ids; for text, the chat APIs have templates. */

/** OpenAI's default. */
const MAX_TOKENS = 16;

const { chat_template_kwargs: _, ...sampling } = engineSampling;

/** One list of ids, possibly as the only prompt of a list. */
const prompt = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 1 && Array.isArray(value[0]) ? value[0] : value),
  promptIds,
);

export const completionSchema = z.strictObject({
  model: requestedModel.optional(),
  prompt: prompt.describe("Token ids. A list of one such list is accepted too; texts and several prompts are not."),
  max_tokens: count.optional().describe(`Default: ${MAX_TOKENS}.`),
  ...openAiSampling,
  n: count.optional().describe("Number of answers. Each is recorded as an interaction of its own."),
  logprobs: z
    .literal(0, "must be 0: alternatives are not returned")
    .optional()
    .describe("0: log probabilities of the sampled tokens."),
  ...sampling,
  return_token_ids: returnTokenIds.optional(),
  return_routed_experts: returnRoutedExperts,
  return_tokens_as_token_ids: z.boolean().optional(),
  ...ignoredFields,

  best_of: unsupported("best_of other than 1", isDefault(1)),
  echo: unsupported("echo: true", isDefault(false)),
  stream: unsupported("stream: true (use chat completions)", isDefault(false)),
  stream_options: unsupported("stream_options"),
  suffix: unsupported("suffix", isDefault("")),

  user: noEffect,
});

export type CompletionRequest = z.output<typeof completionSchema>;

export function parseCompletion(request: CompletionRequest, policies: RequestPolicies = {}): ModelRequest {
  checkChoices(request.n, "n", policies);
  return {
    model: request.model,
    conversation: { messages: [] },
    promptIds: request.prompt,
    sampling: {
      ...readOpenAiSampling(request),
      maxTokens: request.max_tokens ?? MAX_TOKENS,
    },
    calls: NO_CALL_RULES,
    logprobs: request.logprobs === undefined ? "none" : "all",
    tokenIds: request.return_token_ids ? "complete" : undefined,
    routedExperts: request.return_routed_experts,
    tokensAsIds: request.return_tokens_as_token_ids,
    choices: request.n,
    stream: false,
    droppedTools: [],
    ignoredFields: listIgnoredFields(request),
  };
}
