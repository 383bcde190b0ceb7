import type { SamplingOverrideConfig } from "../../config/schema/sampling-override.js";
import { PARAMETERS, type ParameterName } from "../../facts/sampling.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";

type OverrideField = ParameterName | "temperature" | "seed" | "maxTokens";

/** Sampling parameters that the configuration fixes, in the form of a request's parameters. */
export type SamplingOverride = Partial<Pick<RequestSampling, OverrideField>>;

/** The fields that can be fixed, with their names in requests and in the configuration. */
export const OVERRIDE_NAMES = [
  ["temperature", "temperature"],
  ...Object.entries(PARAMETERS).map(([field, { json }]) => [field, json] as const),
  ["seed", "seed"],
  ["maxTokens", "max_tokens"],
] as readonly (readonly [OverrideField, keyof SamplingOverrideConfig])[];

/**
 * Returns the parameters that the configuration fixes; undefined if there are none. A parameter that is null there is left to the
 * request.
 */
export function toSamplingOverride(config: SamplingOverrideConfig): SamplingOverride | undefined {
  const fixedFields = OVERRIDE_NAMES.flatMap(([field, name]) => {
    const value = config[name];
    return value === null ? [] : [[field, field === "topK" ? Math.max(Number(value), 0) : value] as const];
  });
  return fixedFields.length === 0 ? undefined : Object.fromEntries(fixedFields);
}
