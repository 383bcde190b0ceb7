import { sharedSamplingFields } from "../sampling-fields.js";
export const REQUEST_PREFIX = '{"input_ids":';
/**
 * Returns the part of the body of `/generate` (SGLang's `GenerateReqInput`) that follows the input ids. Every field that
 * changes the result is sent; the server would take missing ones from generation_config.json or from its defaults.
 *
 * `stop` is the exception: missing and empty mean the same, and a server without a tokenizer refuses it.
 */
export function requestSuffix({ sampling, tokens, thinkingBudget, rid, stream }) {
    const fields = {
        sampling_params: samplingFields(sampling, tokens, thinkingBudget),
        // Counts the tokens until the reasoning ends.
        ...(thinkingBudget === undefined ? {} : { require_reasoning: true }),
        return_logprob: true,
        logprob_start_len: -1,
        top_logprobs_num: sampling.topLogprobs,
        return_text_in_logprobs: false,
        stream,
        rid,
    };
    return `,${JSON.stringify(fields).slice(1)}`;
}
function samplingFields(sampling, tokens, thinkingBudget) {
    return {
        max_new_tokens: sampling.maxTokens - tokens,
        min_new_tokens: Math.max(0, sampling.minTokens - tokens),
        ...sharedSamplingFields(sampling),
        ...(sampling.stop.length > 0 ? { stop: sampling.stop } : {}),
        no_stop_trim: true,
        ...(sampling.seed === undefined ? {} : { sampling_seed: sampling.seed }),
        ...(thinkingBudget === undefined ? {} : { custom_params: { thinking_budget: thinkingBudget } }),
        ...(sampling.grammar ? grammarField(sampling.grammar) : {}),
    };
}
function grammarField(grammar) {
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
//# sourceMappingURL=request-fields.js.map