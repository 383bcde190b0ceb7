import { z } from "zod";
export declare const weightsBody: z.ZodObject<{
    version: z.ZodInt32;
    path: z.ZodOptional<z.ZodString>;
    mode: z.ZodOptional<z.ZodLiteral<"external">>;
    exclude: z.ZodDefault<z.ZodArray<z.ZodString>>;
    wait_seconds: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
export declare const finishBody: z.ZodObject<{
    version: z.ZodInt32;
    exclude: z.ZodDefault<z.ZodArray<z.ZodString>>;
    wait_seconds: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
export declare const weightServerRecord: z.ZodObject<{
    url: z.ZodString;
    version: z.ZodNullable<z.ZodInt32>;
    state: z.ZodEnum<{
        excluded: "excluded";
        failed: "failed";
        loaded: "loaded";
        loading: "loading";
        pending: "pending";
    }>;
    seconds: z.ZodNullable<z.ZodNumber>;
    error: z.ZodNullable<z.ZodString>;
}, z.core.$strip>;
export declare const weightsRecord: z.ZodObject<{
    state: z.ZodEnum<{
        external: "external";
        failed: "failed";
        idle: "idle";
        loading: "loading";
        pausing: "pausing";
        resuming: "resuming";
    }>;
    version: z.ZodInt32;
    target_version: z.ZodNullable<z.ZodInt32>;
    mode: z.ZodNullable<z.ZodEnum<{
        external: "external";
        path: "path";
    }>>;
    path: z.ZodNullable<z.ZodString>;
    started_at: z.ZodNullable<z.ZodNumber>;
    paused_seconds: z.ZodNullable<z.ZodNumber>;
    error: z.ZodNullable<z.ZodString>;
    servers: z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        version: z.ZodNullable<z.ZodInt32>;
        state: z.ZodEnum<{
            excluded: "excluded";
            failed: "failed";
            loaded: "loaded";
            loading: "loading";
            pending: "pending";
        }>;
        seconds: z.ZodNullable<z.ZodNumber>;
        error: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
}, z.core.$strip>;
export type WeightsBody = z.output<typeof weightsBody>;
export type WeightServerRecord = z.output<typeof weightServerRecord>;
export type WeightsRecord = z.output<typeof weightsRecord>;
export type UpdateState = WeightsRecord["state"];
