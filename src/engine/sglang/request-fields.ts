import type { AskedValues } from "../../native/contract.js";
import type { CallImage, Grammar, SamplingParams } from "../engine.js";
import { sharedSamplingFields } from "../sampling-fields.js";
import type { BodyPiece } from "../servers/wire/image-body.js";

export const REQUEST_PREFIX = '{"input_ids":';

export interface SglangRequestFields {
  readonly sampling: SamplingParams;
  /** Number of tokens that the call has already. */
  readonly tokens: number;
  /** Maximum number of reasoning tokens; undefined for no limit. Only for servers that enforce it. */
  readonly thinkingBudget?: number | undefined;
  readonly asked: AskedValues;
  readonly rid: string;
  readonly stream: boolean;
  /** Name of the LoRA adapter; undefined for the base model. */
  readonly adapter?: string | undefined;
}

/**
 * Returns the part of the body of `/generate` (SGLang's `GenerateReqInput`) that follows the input ids. Every field that
 * changes the result is sent; the server would take missing ones from generation_config.json or from its defaults.
 *
 * `stop` is the exception: missing and empty mean the same, and a server without a tokenizer refuses it.
 */
export function requestSuffix(request: SglangRequestFields): string {
  const { sampling, tokens, thinkingBudget, asked, rid, stream, adapter } = request;
  // Streams have no flat arrays, and are refused with these fields. Older servers ignore the fields. Sampling masks are applied to lists.
  const isFlat = sampling.topLogprobs > 0 && !stream && !asked.masks ? true : undefined;
  const fields = {
    sampling_params: samplingFields(sampling, tokens, thinkingBudget),
    // Counts the tokens until the reasoning ends.
    require_reasoning: thinkingBudget === undefined ? undefined : true,
    return_logprob: true,
    logprob_start_len: -1,
    top_logprobs_num: sampling.topLogprobs,
    return_flat_raw_output_top_logprobs: isFlat,
    return_flat_raw_top_logprobs_b64: isFlat,
    token_ids_logprob: asked.tokenIds && [...asked.tokenIds],
    return_text_in_logprobs: false,
    return_routed_experts: asked.experts && true,
    routed_experts_start_len: asked.experts?.start,
    return_sampling_mask: asked.masks && true,
    stream,
    rid,
    lora_path: adapter,
  };
  // `JSON.stringify` leaves out fields that are undefined.
  return `,${JSON.stringify(fields).slice(1)}`;
}

/** Returns the images as a part of the body of `/generate`, with a comma before it. */
export function imageField(images: readonly CallImage[]): BodyPiece[] {
  const items = images.flatMap((image, index): BodyPiece[] => [index > 0 ? ',"' : '"', image, '"']);
  return [',"image_data":[', ...items, "]"];
}

function samplingFields(sampling: SamplingParams, tokens: number, thinkingBudget?: number): Record<string, unknown> {
  return {
    max_new_tokens: sampling.maxTokens - tokens,
    min_new_tokens: Math.max(0, sampling.minTokens - tokens),
    ...sharedSamplingFields(sampling),
    stop: sampling.stop.length > 0 ? sampling.stop : undefined,
    no_stop_trim: true,
    sampling_seed: sampling.seed,
    custom_params: thinkingBudget === undefined ? undefined : { thinking_budget: thinkingBudget },
    ...(sampling.grammar && grammarField(sampling.grammar)),
  };
}

function grammarField(grammar: Grammar): Record<string, string> {
  switch (grammar.kind) {
    case "json_schema":
      return { json_schema: grammar.schema };
    case "regex":
      return { regex: grammar.pattern };
    case "ebnf":
      return { ebnf: grammar.rules };
    case "structural_tag":
      return { structural_tag: grammar.tag };
  }
}
