import { z } from "zod";
import { PARAMETERS, type ParameterName, type ParameterValues } from "./sampling.js";

/** Sampling parameters that are fixed for many calls, in the form of a request's parameters. */
export type SamplingOverride = Partial<
  ParameterValues & { readonly temperature: number; readonly seed: number | undefined; readonly maxTokens: number }
>;

type Table = typeof PARAMETERS;

interface Fixable<Schema extends z.ZodType = z.ZodType> {
  /** The range that the parameter has in requests. */
  readonly schema: Schema;
  readonly meaning: string;
}

const parameters = Object.fromEntries(
  Object.values(PARAMETERS).map(({ json, schema, missing }): [string, Fixable] => [
    json,
    { schema, meaning: `\`${json}\` of every call${missing === false ? "" : `; ${missing} is off`}.` },
  ]),
) as unknown as { readonly [Name in ParameterName as Table[Name]["json"]]: Fixable<Table[Name]["schema"]> };

/** The parameters that can be fixed, by their names in JSON. */
export const FIXABLE = {
  temperature: {
    schema: z.number().min(0).max(2),
    meaning: "`temperature` of every call, instead of the request's value. Null: the request decides.",
  },
  ...parameters,
  top_k: { schema: z.int32().min(-1), meaning: "`top_k` of every call; 0 and -1 are off." },
  seed: { schema: z.int(), meaning: "`seed` of every call. Samples of the same prompt then become equal." },
  max_tokens: {
    schema: z.int32().min(1),
    meaning: "Maximum output tokens of every call, instead of the request's value. The context length still applies.",
  },
} as const;

type FixableName = keyof typeof FIXABLE;

/** Fixed values by their names in JSON. A parameter that is absent or null is left to the request. */
export type SamplingOverrideFields = {
  readonly [Name in FixableName]?: z.output<(typeof FIXABLE)[Name]["schema"]> | null | undefined;
};

/** The fixed values of one session, in the body that starts it. */
export const fixedValues = z.strictObject(
  Object.fromEntries(
    Object.entries(FIXABLE).map(([name, { schema, meaning }]) => [
      name,
      (schema as z.ZodType).nullish().describe(meaning),
    ]),
  ) as unknown as { [Name in FixableName]: z.ZodOptional<z.ZodNullable<(typeof FIXABLE)[Name]["schema"]>> },
);

/** Returns the values without those that are left to the request; undefined if none is left. */
export function dropUnfixed(values: SamplingOverrideFields | undefined): SamplingOverrideFields | undefined {
  const fixed = Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return fixed.length === 0 ? undefined : Object.fromEntries(fixed);
}

/** The fields that can be fixed, with their names in requests and in the configuration. */
export const OVERRIDE_NAMES = [
  ["temperature", "temperature"],
  ...Object.entries(PARAMETERS).map(([field, { json }]) => [field, json] as const),
  ["seed", "seed"],
  ["maxTokens", "max_tokens"],
] as readonly (readonly [keyof SamplingOverride, FixableName])[];

/** Returns the parameters that are fixed; undefined if there are none. */
export function toSamplingOverride(values: SamplingOverrideFields | undefined): SamplingOverride | undefined {
  if (!values) return undefined;
  const fixedFields = OVERRIDE_NAMES.flatMap(([field, name]) => {
    const value = values[name];
    if (value === null || value === undefined) return [];
    return [[field, field === "topK" ? Math.max(Number(value), 0) : value] as const];
  });
  return fixedFields.length === 0 ? undefined : Object.fromEntries(fixedFields);
}
