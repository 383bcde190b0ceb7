import { z } from "zod";
/** Sampling parameters that replace those of requests, each with the range that it has in requests. */
export declare const samplingOverrideSchema: z.ZodObject<{
    temperature: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
    top_p: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
    top_k: z.ZodDefault<z.ZodNullable<z.ZodInt32>>;
    min_p: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
    frequency_penalty: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
    presence_penalty: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
    repetition_penalty: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
    min_tokens: z.ZodDefault<z.ZodNullable<z.ZodInt32>>;
    ignore_eos: z.ZodDefault<z.ZodNullable<z.ZodBoolean>>;
    seed: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
    max_tokens: z.ZodDefault<z.ZodNullable<z.ZodInt32>>;
}, z.core.$strict>;
export type SamplingOverrideConfig = z.output<typeof samplingOverrideSchema>;
