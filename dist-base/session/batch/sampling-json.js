/** Returns the sampling parameters under the names of the row columns. */
export function samplingJson(sampling) {
    return {
        temperature: sampling.temperature,
        sampling_temperature: sampling.samplingTemperature,
        greedy: sampling.greedy,
        top_p: sampling.topP,
        top_k: sampling.topK,
        min_p: sampling.minP,
        seed: sampling.seed ?? null,
        frequency_penalty: sampling.frequencyPenalty,
        presence_penalty: sampling.presencePenalty,
        repetition_penalty: sampling.repetitionPenalty,
        min_tokens: sampling.minTokens,
        ignore_eos: sampling.ignoreEos,
        logit_bias: sampling.logitBias,
        thinking_budget: sampling.thinkingBudget ?? null,
        max_tokens: sampling.maxTokens,
        grammar: sampling.grammar,
        logprob_content: sampling.logprobs,
        overridden: sampling.overridden,
    };
}
//# sourceMappingURL=sampling-json.js.map