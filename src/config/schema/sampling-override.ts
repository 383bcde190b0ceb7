import { z } from "zod";
import { PARAMETERS, type ParameterName } from "../../facts/sampling.js";

type Table = typeof PARAMETERS;

/** Null: the request decides. */
const fixed = <Schema extends z.ZodType>(schema: Schema, meaning: string) =>
  schema.nullable().default(null).describe(meaning);

const parameters = Object.fromEntries(
  Object.values(PARAMETERS).map(({ json, schema, missing }) => [
    json,
    fixed<z.ZodType>(schema, `\`${json}\` of every call${missing === false ? "" : `; ${missing} is off`}.`),
  ]),
) as unknown as {
  readonly [Name in ParameterName as Table[Name]["json"]]: z.ZodDefault<z.ZodNullable<Table[Name]["schema"]>>;
};

/** Sampling parameters that replace those of requests, each with the range that it has in requests. */
export const samplingOverrideSchema = z.strictObject({
  temperature: fixed(
    z.number().min(0).max(2),
    "`temperature` of every call, instead of the request's value. Null: the request decides.",
  ),
  ...parameters,
  top_k: fixed(z.int32().min(-1), "`top_k` of every call; 0 and -1 are off."),
  seed: fixed(z.int(), "`seed` of every call. Samples of the same prompt then become equal."),
  max_tokens: fixed(
    z.int32().min(1),
    "Maximum output tokens of every call, instead of the request's value. The context length still applies.",
  ),
});

export type SamplingOverrideConfig = z.output<typeof samplingOverrideSchema>;
