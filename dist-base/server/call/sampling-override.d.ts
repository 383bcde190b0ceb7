import type { SamplingOverrideConfig } from "../../config/schema/sampling-override.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";
/** Sampling parameters that the configuration fixes, in the form of a request's parameters. */
export type SamplingOverride = Partial<Pick<RequestSampling, keyof typeof OVERRIDE_FIELDS>>;
/** The fields that can be fixed, with their names in requests and in the configuration. */
declare const OVERRIDE_FIELDS: {
    readonly temperature: "temperature";
    readonly topP: "top_p";
    readonly topK: "top_k";
    readonly minP: "min_p";
    readonly frequencyPenalty: "frequency_penalty";
    readonly presencePenalty: "presence_penalty";
    readonly repetitionPenalty: "repetition_penalty";
    readonly minTokens: "min_tokens";
    readonly ignoreEos: "ignore_eos";
    readonly seed: "seed";
    readonly maxTokens: "max_tokens";
};
type OverrideField = keyof typeof OVERRIDE_FIELDS;
export declare const OVERRIDE_NAMES: readonly [OverrideField, (typeof OVERRIDE_FIELDS)[OverrideField]][];
/**
 * Returns the parameters that the configuration fixes; undefined if there are none. A parameter that is null there is left to the
 * request.
 */
export declare function toSamplingOverride(config: SamplingOverrideConfig): SamplingOverride | undefined;
export {};
