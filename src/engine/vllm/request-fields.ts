import type { Grammar, SamplingParams } from "../engine.js";
import { sharedSamplingFields } from "../sampling-fields.js";

export interface RequestFields {
  readonly sampling: SamplingParams;
  /** What is left of the call's token budget. */
  readonly maxTokens: number;
  readonly model: string;
  readonly requestId: string;
  readonly stream: boolean;
  /** Ask for one alternative more than is wanted; see {@link generateSuffix}. */
  readonly oneMore?: boolean;
}

export const GENERATE_PREFIX = '{"token_ids":';
export const COMPLETIONS_PREFIX = '{"prompt":';

/**
 * What follows the token ids in the body of `/inference/v1/generate` (vLLM's token_in_token_out protocol). Every field
 * that changes the result is sent, because what is left out comes from the server's defaults.
 *
 * It lists the sampled token first and then the most likely ones, as many as were asked for in all: without one more, the
 * least likely alternative is missing if the sampled token is none of them.
 */
export function generateSuffix(fields: RequestFields): string {
  const { sampling, oneMore } = fields;
  return suffix(fields, {
    sampling_params: {
      ...samplingFields(fields),
      ...(oneMore && sampling.topLogprobs > 0 ? { logprobs: sampling.topLogprobs + 1 } : {}),
      // Stop strings are looked for in text.
      detokenize: sampling.stop.length > 0,
    },
    // A structural tag describes the reasoning too. Without this, a server with --reasoning-parser applies it only behind
    // the reasoning; servers that do not know the field ignore it.
    ...(sampling.grammar?.kind === "structural_tag" ? { reasoning_ended: true } : {}),
  });
}

/** The same for `/v1/completions`, which has the sampling parameters beside its own fields. */
export function completionsSuffix(fields: RequestFields): string {
  return suffix(fields, { ...samplingFields(fields), return_token_ids: true, return_tokens_as_token_ids: true });
}

function suffix({ model, requestId, stream }: RequestFields, more: Record<string, unknown>): string {
  const options = stream ? { stream_options: { include_usage: true } } : {};
  const fields = { ...more, model, request_id: requestId, stream, ...options };
  return `,${JSON.stringify(fields).slice(1)}`;
}

function samplingFields({ sampling, maxTokens }: RequestFields): Record<string, unknown> {
  return {
    max_tokens: maxTokens,
    min_tokens: 0,
    ...sharedSamplingFields(sampling),
    stop: sampling.stop,
    ignore_eos: false,
    // 0 is the sampled token alone.
    logprobs: sampling.topLogprobs,
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
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
