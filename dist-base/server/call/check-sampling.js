import { RequestError } from "../../protocols/request-error.js";
/**
 * Checks sampling parameters that are valid one by one, but not together or not on this engine.
 *
 * @throws RequestError
 */
export function checkSampling({ engine, settings }, request) {
    if (request.maxTokens !== undefined && request.minTokens > request.maxTokens) {
        const limit = `the limit of output tokens (${request.maxTokens})`;
        throw new RequestError("min_tokens", `min_tokens must be at most ${limit}; received ${request.minTokens}.`);
    }
    const { stop, stopTokenIds } = request;
    const { minTokens = request.minTokens, ignoreEos = request.ignoreEos } = settings.samplingOverride ?? {};
    if (minTokens > 0 && stop.length > 0) {
        // Engines disagree about stop strings that end before that many tokens.
        throw new RequestError("min_tokens", "min_tokens cannot be combined with stop strings; use stop_token_ids.");
    }
    if (ignoreEos && stopTokenIds.length > 0 && !engine.supports.stopsWithoutEos) {
        const message = `ignore_eos cannot be combined with stop_token_ids: the engine (${engine.type}) would ignore both.`;
        throw new RequestError("ignore_eos", message, "unsupported_parameter");
    }
}
//# sourceMappingURL=check-sampling.js.map