import type { AskedValues } from "../../native/contract.js";
import type { Grammar, SamplingParams } from "../engine.js";
import { sharedSamplingFields } from "../sampling-fields.js";

export interface VllmRequestFields {
  readonly sampling: SamplingParams;
  /** The rest of the call's token budget. */
  readonly maxTokens: number;
  /** The rest of the call's least number of tokens. */
  readonly minTokens: number;
  readonly model: string;
  readonly requestId: string;
  readonly stream: boolean;
  /** Request one alternative more than the call needs; see {@link generateSuffix}. */
  readonly oneMore?: boolean;
  readonly asked: AskedValues;
  /** Maximum number of reasoning tokens; undefined for no limit. */
  readonly thinkingBudget?: number | undefined;
}

export const GENERATE_PATH = "inference/v1/generate";
export const COMPLETIONS_PATH = "v1/completions";

export const GENERATE_PREFIX = '{"token_ids":';
export const COMPLETIONS_PREFIX = '{"prompt":';

/**
 * Returns the part of the body of `/inference/v1/generate` (vLLM's token_in_token_out protocol) that follows the token ids.
 * Every field that changes the result is sent, so no server default applies.
 *
 * The server lists the sampled token first, then the most likely tokens, in total as many as requested. If the sampled
 * token is not among the most likely, the last alternative is missing, so one more is requested.
 */
export function generateSuffix(fields: VllmRequestFields): string {
  const { sampling, oneMore } = fields;
  return suffix(fields, {
    sampling_params: {
      // The server searches for stop strings in text.
      detokenize: sampling.stop.length > 0,
      ...samplingFields(fields),
      ...expertsField(fields),
      ...(oneMore && sampling.topLogprobs > 0 ? { logprobs: sampling.topLogprobs + 1 } : {}),
      ...listedTokens(fields.asked),
    },
    // A structural tag describes the reasoning too. Without this field, a server with --reasoning-parser applies the tag
    // only after the reasoning. Older servers ignore the field.
    ...(sampling.grammar?.kind === "structural_tag" ? { reasoning_ended: true } : {}),
  });
}

/** Returns the same part for `/v1/completions`, where sampling parameters are top-level fields. */
export function completionsSuffix(fields: VllmRequestFields): string {
  return suffix(fields, {
    return_token_ids: true,
    return_tokens_as_token_ids: true,
    ...samplingFields(fields),
    ...expertsField(fields),
    // Lists all of them, and the sampled token.
    ...(fields.asked.tokenIds ? { logprobs: 0, logprob_token_ids: [...fields.asked.tokenIds] } : {}),
  });
}

/**
 * Returns the fields that ask for the log probabilities of fixed tokens instead of the most likely ones.
 *
 * The server requires `logprobs` to be the number of the ids, and lists that many tokens. The sampled token is the first of them, so the
 * last id gets no log probability. Therefore the first id is sent again as the last.
 */
function listedTokens({ tokenIds }: AskedValues): Record<string, unknown> {
  return tokenIds ? { logprobs: tokenIds.length + 1, logprob_token_ids: [...tokenIds, tokenIds[0]] } : {};
}

/** Servers without the flag ignore this field. */
function expertsField({ asked }: VllmRequestFields): Record<string, number> {
  return asked.experts ? { routed_experts_prompt_start: asked.experts.start } : {};
}

function suffix({ model, requestId, stream }: VllmRequestFields, more: Record<string, unknown>): string {
  const options = stream ? { stream_options: { include_usage: true } } : {};
  const fields = { model, request_id: requestId, stream, ...options, ...more };
  return `,${JSON.stringify(fields).slice(1)}`;
}

function samplingFields({
  sampling,
  maxTokens,
  minTokens,
  thinkingBudget,
}: VllmRequestFields): Record<string, unknown> {
  return {
    max_tokens: maxTokens,
    min_tokens: minTokens,
    ...sharedSamplingFields(sampling),
    stop: sampling.stop,
    // 0 requests only the sampled token's log probability.
    logprobs: sampling.topLogprobs,
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
    ...(thinkingBudget === undefined ? {} : { thinking_token_budget: thinkingBudget }),
    ...(sampling.grammar ? { structured_outputs: structuredOutputs(sampling.grammar) } : {}),
  };
}

function structuredOutputs(grammar: Grammar): Record<string, string> {
  switch (grammar.kind) {
    case "json_schema":
      return { json: grammar.schema };
    case "regex":
      return { regex: grammar.pattern };
    case "ebnf":
      return { grammar: grammar.rules };
    case "structural_tag":
      return { structural_tag: grammar.tag };
  }
}
