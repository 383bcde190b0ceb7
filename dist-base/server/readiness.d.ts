import { z } from "zod";
import type { ServerContext } from "./context.js";
/** The answer of `GET /readyz` and `GET /health`. */
export declare const health: z.ZodObject<{
    status: z.ZodEnum<{
        draining: "draining";
        engine_unavailable: "engine_unavailable";
        ok: "ok";
        storage_failed: "storage_failed";
    }>;
    message: z.ZodOptional<z.ZodString>;
    warnings: z.ZodOptional<z.ZodArray<z.ZodObject<{
        key: z.ZodString;
        message: z.ZodString;
    }, z.core.$strip>>>;
    worker: z.ZodOptional<z.ZodObject<{
        tag: z.ZodString;
        capacity: z.ZodInt;
        sessions: z.ZodInt;
        weight_version: z.ZodObject<{
            version: z.ZodInt32;
            set_at: z.ZodNumber;
        }, z.core.$strip>;
    }, z.core.$strip>>;
}, z.core.$strip>;
/** Returns whether the server takes new sessions, and the reason if it does not. */
export declare function readReadiness(context: ServerContext): Promise<{
    readonly statusCode: 200 | 503;
    readonly body: z.input<typeof health>;
}>;
