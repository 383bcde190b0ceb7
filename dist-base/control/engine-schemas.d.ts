import { z } from "zod";
export declare const serverRecord: z.ZodObject<{
    url: z.ZodString;
    state: z.ZodEnum<{
        down: "down";
        draining: "draining";
        unknown: "unknown";
        up: "up";
    }>;
    healthy: z.ZodBoolean;
    requests: z.ZodInt;
    waiting: z.ZodInt;
    max_inflight: z.ZodInt;
    logprobs: z.ZodEnum<{
        raw: "raw";
        temperature: "temperature";
        truncated: "truncated";
        unknown: "unknown";
    }>;
    completed: z.ZodInt;
    failed: z.ZodInt;
    aborted: z.ZodInt;
    failovers: z.ZodInt;
    last_failure: z.ZodNullable<z.ZodObject<{
        message: z.ZodString;
        at: z.ZodNumber;
    }, z.core.$strip>>;
}, z.core.$strip>;
export declare const engineRecord: z.ZodObject<{
    type: z.ZodString;
    paused: z.ZodNullable<z.ZodEnum<{
        abort: "abort";
        keep: "keep";
    }>>;
    servers: z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        state: z.ZodEnum<{
            down: "down";
            draining: "draining";
            unknown: "unknown";
            up: "up";
        }>;
        healthy: z.ZodBoolean;
        requests: z.ZodInt;
        waiting: z.ZodInt;
        max_inflight: z.ZodInt;
        logprobs: z.ZodEnum<{
            raw: "raw";
            temperature: "temperature";
            truncated: "truncated";
            unknown: "unknown";
        }>;
        completed: z.ZodInt;
        failed: z.ZodInt;
        aborted: z.ZodInt;
        failovers: z.ZodInt;
        last_failure: z.ZodNullable<z.ZodObject<{
            message: z.ZodString;
            at: z.ZodNumber;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
}, z.core.$strip>;
export declare const restoreBody: z.ZodObject<{
    url: z.ZodString;
}, z.core.$strict>;
export declare const drainBody: z.ZodObject<{
    url: z.ZodString;
    wait_seconds: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
export declare const pauseFields: {
    mode: z.ZodDefault<z.ZodEnum<{
        abort: "abort";
        keep: "keep";
    }>>;
};
export declare const pauseBody: z.ZodObject<{
    mode: z.ZodDefault<z.ZodEnum<{
        abort: "abort";
        keep: "keep";
    }>>;
    servers: z.ZodOptional<z.ZodArray<z.ZodString>>;
}, z.core.$strict>;
export declare const resumeBody: z.ZodObject<{
    servers: z.ZodOptional<z.ZodArray<z.ZodString>>;
    hold: z.ZodDefault<z.ZodBoolean>;
}, z.core.$strict>;
