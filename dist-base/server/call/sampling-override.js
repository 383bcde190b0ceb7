/** The fields that can be fixed, with their names in requests and in the configuration. */
const OVERRIDE_FIELDS = {
    temperature: "temperature",
    topP: "top_p",
    topK: "top_k",
    minP: "min_p",
    frequencyPenalty: "frequency_penalty",
    presencePenalty: "presence_penalty",
    repetitionPenalty: "repetition_penalty",
    minTokens: "min_tokens",
    ignoreEos: "ignore_eos",
    seed: "seed",
    maxTokens: "max_tokens",
};
export const OVERRIDE_NAMES = Object.entries(OVERRIDE_FIELDS);
/**
 * Returns the parameters that the configuration fixes; undefined if there are none. A parameter that is null there is left to the
 * request.
 */
export function toSamplingOverride(config) {
    const fixedFields = OVERRIDE_NAMES.flatMap(([field, name]) => {
        const value = config[name];
        return value === null ? [] : [[field, field === "topK" ? Math.max(Number(value), 0) : value]];
    });
    return fixedFields.length === 0 ? undefined : Object.fromEntries(fixedFields);
}
//# sourceMappingURL=sampling-override.js.map