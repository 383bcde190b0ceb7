import { z } from "zod";
/** Model names whose calls another server answers, or that are refused. */
export declare const upstream: z.ZodObject<{
    models: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>;
    url: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    api_key: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    api_key_env: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    model: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    timeout_seconds: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    refuse: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}, z.core.$strict>;
export type UpstreamSetting = z.output<typeof upstream>;
