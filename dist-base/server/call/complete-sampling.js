import { recordedTemperature } from "../../session/recorded-sampling.js";
import { OVERRIDE_NAMES } from "./sampling-override.js";
/**
 * Replaces the sampling parameters that the configuration fixes and fills in those that the request leaves open.
 */
export function completeSampling(context, request, limits) {
    const requested = toParams(context, request, limits);
    const { samplingOverride } = context.settings;
    if (samplingOverride === undefined)
        return { params: requested, overridden: [] };
    const params = toParams(context, { ...request, ...samplingOverride }, limits);
    const overridden = OVERRIDE_NAMES.filter(([field]) => params[field] !== requested[field]).map(([, name]) => name);
    return { params, overridden };
}
function toParams({ engine, model }, request, { tokensLeft, grammar, thinkingBudget }) {
    const { structure: _, ...sampling } = request;
    const maxTokens = Math.min(request.maxTokens ?? tokensLeft, tokensLeft);
    return {
        ...sampling,
        ...(grammar ? { grammar } : {}),
        thinkingBudget,
        temperature: engine.effectiveTemperature?.(request.temperature) ?? request.temperature,
        maxTokens,
        // The context may leave fewer tokens than the request's `min_tokens`.
        minTokens: Math.min(request.minTokens, maxTokens),
        stopTokenIds: joinStopTokens(request.ignoreEos ? [] : model.stopTokenIds, request.stopTokenIds),
    };
}
function joinStopTokens(ofModel, ofRequest) {
    return ofRequest.length === 0 ? ofModel : [...new Set([...ofModel, ...ofRequest])];
}
/** Returns the parameters for one of several choices. With equal seeds, all choices would be equal. */
export function forChoice(params, choice) {
    const { seed } = params;
    if (seed === undefined || choice === 0)
        return params;
    return { ...params, seed: Number.isSafeInteger(seed + choice) ? seed + choice : seed - choice };
}
/**
 * Returns the sampling to record for a call.
 *
 * @param params the parameters that were sent to the engine, and the budget that it enforced
 */
export function toRecordedSampling(params, { overridden }, logprobs) {
    const { temperature, topP, topK, minP, seed, frequencyPenalty, presencePenalty, maxTokens, grammar } = params;
    const { repetitionPenalty, minTokens, ignoreEos, logitBias, thinkingBudget } = params;
    return {
        temperature: recordedTemperature(temperature, logprobs),
        samplingTemperature: temperature,
        greedy: temperature === 0,
        topP,
        topK,
        minP,
        seed,
        frequencyPenalty,
        presencePenalty,
        repetitionPenalty,
        minTokens,
        ignoreEos,
        logitBias: logitBias.length > 0,
        thinkingBudget,
        maxTokens,
        grammar: grammar !== undefined,
        logprobs,
        overridden: overridden.length > 0,
    };
}
//# sourceMappingURL=complete-sampling.js.map