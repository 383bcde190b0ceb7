import { z } from "zod";
import { withoutNulls } from "../../support/json/without-nulls.js";
import { engineSampling } from "../engine-sampling.js";
import { count, isDefault, isEmpty, requestedModel, unsupported } from "../fields.js";
import { ignoredFields, listIgnoredFields } from "../ignored-fields.js";
import type { ModelRequest } from "../model-request.js";
import { openAiSampling, readOpenAiSampling } from "../openai-sampling.js";
import { promptIds } from "../prompt-ids.js";
import { checkChoices, type RequestPolicies } from "../request-policies.js";
import { returnRoutedExperts } from "../routed-experts.js";
import { NO_CALL_RULES } from "../tool-choice.js";

/** The body of POST /inference/v1/generate: vLLM's API for clients that render prompts and parse outputs themselves. */

const { chat_template_kwargs: _, ...sampling } = engineSampling;

/** Null counts as absent, as at the top of a request. */
const samplingParams = z.preprocess(
  (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? withoutNulls(value) : value),
  z.strictObject({
    n: count.optional(),
    max_tokens: count.optional(),
    ...openAiSampling,
    logprobs: z.int32().min(0).max(1).optional().describe("0 or 1: log probabilities of the sampled tokens."),
    ...sampling,
    skip_special_tokens: ignoredFields.skip_special_tokens,
    spaces_between_special_tokens: ignoredFields.spaces_between_special_tokens,
    include_stop_str_in_output: ignoredFields.include_stop_str_in_output,
    detokenize: z.boolean().optional().describe("Has no effect: the answer has no text."),
    prompt_logprobs: unsupported("sampling_params.prompt_logprobs"),
    routed_experts_prompt_start: unsupported("sampling_params.routed_experts_prompt_start"),
  }),
);

export const generateSchema = z.strictObject({
  model: requestedModel.optional(),
  token_ids: promptIds.describe("The prompt."),
  sampling_params: samplingParams.optional(),
  ...ignoredFields,

  content_parts: unsupported("content_parts"),
  features: unsupported("features", isEmpty),
  kv_transfer_params: unsupported("kv_transfer_params", isEmpty),
  return_routed_experts: returnRoutedExperts,
  return_token_ids: z.boolean().optional().describe("Has no effect: the answer always has the ids of its tokens."),
  stream: unsupported("stream: true", isDefault(false)),
  stream_options: unsupported("stream_options"),
});

export type GenerateRequest = z.output<typeof generateSchema>;

export function parseGenerate(request: GenerateRequest, policies: RequestPolicies = {}): ModelRequest {
  const { sampling_params: params = {} } = request;
  checkChoices(params.n, "sampling_params.n", policies);
  return {
    model: request.model,
    conversation: { messages: [] },
    promptIds: request.token_ids,
    sampling: {
      ...readOpenAiSampling(params),
      maxTokens: params.max_tokens,
    },
    calls: NO_CALL_RULES,
    logprobs: params.logprobs === undefined ? "none" : "all",
    tokenIds: "complete",
    routedExperts: request.return_routed_experts,
    tokensAsIds: true,
    choices: params.n,
    stream: false,
    droppedTools: [],
    ignoredFields: listIgnoredFields(request),
  };
}
