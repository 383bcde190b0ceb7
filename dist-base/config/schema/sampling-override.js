import { z } from "zod";
const penalty = z.number().min(-2).max(2).nullable().default(null);
/** Sampling parameters that replace those of requests, each with the range that it has in requests. */
export const samplingOverrideSchema = z.strictObject({
    temperature: z
        .number()
        .min(0)
        .max(2)
        .nullable()
        .default(null)
        .describe("`temperature` of every call, instead of the request's value. Null: the request decides."),
    top_p: z.number().gt(0).max(1).nullable().default(null).describe("`top_p` of every call; 1 is off."),
    top_k: z.int32().min(-1).nullable().default(null).describe("`top_k` of every call; 0 and -1 are off."),
    min_p: z.number().min(0).max(1).nullable().default(null).describe("`min_p` of every call; 0 is off."),
    frequency_penalty: penalty.describe("`frequency_penalty` of every call; 0 is off."),
    presence_penalty: penalty.describe("`presence_penalty` of every call; 0 is off."),
    repetition_penalty: z
        .number()
        .gt(0)
        .max(2)
        .nullable()
        .default(null)
        .describe("`repetition_penalty` of every call; 1 is off."),
    min_tokens: z.int32().min(0).nullable().default(null).describe("`min_tokens` of every call; 0 is off."),
    ignore_eos: z.boolean().nullable().default(null).describe("`ignore_eos` of every call."),
    seed: z
        .int()
        .nullable()
        .default(null)
        .describe("`seed` of every call. Samples of the same prompt then become equal."),
    max_tokens: z
        .int32()
        .min(1)
        .nullable()
        .default(null)
        .describe("Maximum output tokens of every call, instead of the request's value. The context length still applies."),
});
//# sourceMappingURL=sampling-override.js.map