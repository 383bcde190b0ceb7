import { z } from "zod";

const penalty = z.number().min(-2).max(2).nullable().default(null);

/** Sampling parameters that agents may not choose, each with the range that it has in requests. */
export const samplingOverrideSchema = z.strictObject({
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .default(null)
    .describe("`temperature` of every call, in place of what its request asks for. Null leaves it to the request."),
  top_p: z.number().gt(0).max(1).nullable().default(null).describe("`top_p` of every call; 1 is off."),
  top_k: z.int32().min(-1).nullable().default(null).describe("`top_k` of every call; 0 and -1 are off."),
  min_p: z.number().min(0).max(1).nullable().default(null).describe("`min_p` of every call; 0 is off."),
  frequency_penalty: penalty.describe("`frequency_penalty` of every call; 0 is off."),
  presence_penalty: penalty.describe("`presence_penalty` of every call; 0 is off."),
  seed: z.int().nullable().default(null).describe("`seed` of every call. It makes samples of the same prompt alike."),
  max_tokens: z
    .int32()
    .min(1)
    .nullable()
    .default(null)
    .describe("Limit of output tokens of every call, in place of what its request asks for, within the context."),
});

export type SamplingOverrideConfig = z.output<typeof samplingOverrideSchema>;
