/** Sampling from the whole distribution: the defaults for parameters that a protocol does not have. */
export const PLAIN_SAMPLING = {
    temperature: 1,
    topP: 1,
    topK: 0,
    minP: 0,
    frequencyPenalty: 0,
    presencePenalty: 0,
    repetitionPenalty: 1,
    minTokens: 0,
    ignoreEos: false,
    logitBias: [],
    thinkingBudget: undefined,
    maxTokens: undefined,
    stop: [],
    stopTokenIds: [],
    seed: undefined,
    topLogprobs: 0,
    structure: undefined,
};
//# sourceMappingURL=request-sampling.js.map