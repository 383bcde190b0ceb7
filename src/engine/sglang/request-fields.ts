import type { Grammar, SamplingParams } from "../engine.js";
import { sharedSamplingFields } from "../sampling-fields.js";

export const REQUEST_PREFIX = '{"input_ids":';

/**
 * Returns the part of the body of `/generate` (SGLang's `GenerateReqInput`) that follows the input ids. Every field that
 * changes the result is sent; the server would take missing ones from generation_config.json or from its defaults.
 *
 * `stop` is the exception: missing and empty mean the same, and a server without a tokenizer refuses it.
 *
 * @param maxNewTokens the rest of the call's token budget
 */
export function requestSuffix(sampling: SamplingParams, maxNewTokens: number, rid: string, stream: boolean): string {
  const fields = {
    sampling_params: samplingFields(sampling, maxNewTokens),
    return_logprob: true,
    logprob_start_len: -1,
    top_logprobs_num: sampling.topLogprobs,
    return_text_in_logprobs: false,
    stream,
    rid,
  };
  return `,${JSON.stringify(fields).slice(1)}`;
}

function samplingFields(sampling: SamplingParams, maxNewTokens: number): Record<string, unknown> {
  return {
    max_new_tokens: maxNewTokens,
    min_new_tokens: 0,
    ...sharedSamplingFields(sampling),
    ...(sampling.stop.length > 0 ? { stop: sampling.stop } : {}),
    // With true, SGLang would ignore stop_token_ids too.
    ignore_eos: false,
    no_stop_trim: true,
    ...(sampling.seed === undefined ? {} : { sampling_seed: sampling.seed }),
    ...(sampling.grammar ? grammarField(sampling.grammar) : {}),
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
