/** Returns the divisor of the logits that reproduces log probabilities recorded with this sampling temperature. */
export function recordedTemperature(samplingTemperature, logprobs) {
    return samplingTemperature === 0 || logprobs === "raw" ? 1 : samplingTemperature;
}
//# sourceMappingURL=recorded-sampling.js.map