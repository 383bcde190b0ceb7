import { z } from "zod";
export declare const ENGINE_TYPES: readonly ["embedded", "sglang", "vllm"];
export type EngineType = (typeof ENGINE_TYPES)[number];
/** The inference engine that samples the tokens. */
export declare const engineSchema: z.ZodObject<{
    type: z.ZodDefault<z.ZodEnum<{
        embedded: "embedded";
        sglang: "sglang";
        vllm: "vllm";
    }>>;
    urls: z.ZodDefault<z.ZodArray<z.ZodString>>;
    model: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    context_length: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
    sequences: z.ZodDefault<z.ZodInt>;
    timeout_seconds: z.ZodDefault<z.ZodNumber>;
    max_inflight: z.ZodDefault<z.ZodInt>;
    health_seconds: z.ZodDefault<z.ZodNumber>;
    weights_timeout_seconds: z.ZodDefault<z.ZodNumber>;
    served_model: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    vllm_api: z.ZodDefault<z.ZodEnum<{
        auto: "auto";
        completions: "completions";
        generate: "generate";
    }>>;
    api_key: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    admin_api_key: z.ZodDefault<z.ZodNullable<z.ZodString>>;
}, z.core.$strict>;
