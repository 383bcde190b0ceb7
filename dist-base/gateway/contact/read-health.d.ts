import { z } from "zod";
import type { Upstream } from "../upstream.js";
declare const healthSchema: z.ZodObject<{
    status: z.ZodEnum<{
        draining: "draining";
        engine_unavailable: "engine_unavailable";
        ok: "ok";
        storage_failed: "storage_failed";
    }>;
    warnings: z.ZodCatch<z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodObject<{
        key: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
        message: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
    }, z.core.$strip>>, z.ZodTransform<{
        key: string;
        message: string;
    }[], {
        key: string;
        message: string;
    }[]>>>>;
    worker: z.ZodOptional<z.ZodObject<{
        tag: z.ZodString;
        capacity: z.ZodInt;
        sessions: z.ZodInt;
        weight_version: z.ZodOptional<z.ZodObject<{
            version: z.ZodInt32;
            set_at: z.ZodNumber;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
}, z.core.$strip>;
export type WorkerHealth = z.output<typeof healthSchema>;
/** The state of a worker that answers. */
export type ServingState = WorkerHealth["status"];
/** Returns the health report of a worker; undefined if it does not answer, or if its answer is not a health report. */
export declare function readHealth(upstream: Upstream, url: string): Promise<WorkerHealth | undefined>;
export {};
