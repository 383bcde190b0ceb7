import { z } from "zod";
import type { GatewayContext } from "./context.js";
import type { WorkerPool } from "./worker-pool.js";
/** The answer of `GET /readyz` and `GET /health`. */
export declare const health: z.ZodObject<{
    status: z.ZodEnum<{
        draining: "draining";
        no_workers: "no_workers";
        ok: "ok";
    }>;
    message: z.ZodOptional<z.ZodString>;
    workers: z.ZodArray<z.ZodObject<{
        tag: z.ZodString;
        status: z.ZodEnum<{
            down: "down";
            draining: "draining";
            engine_unavailable: "engine_unavailable";
            ok: "ok";
            storage_failed: "storage_failed";
        }>;
        capacity: z.ZodInt;
        sessions: z.ZodInt;
        weight_version: z.ZodOptional<z.ZodObject<{
            version: z.ZodInt32;
            set_at: z.ZodNumber;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    processes: z.ZodOptional<z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        status: z.ZodEnum<{
            failed: "failed";
            ready: "ready";
            restarting: "restarting";
            starting: "starting";
        }>;
        tag: z.ZodOptional<z.ZodString>;
        restarts: z.ZodInt;
        ended: z.ZodOptional<z.ZodString>;
    }, z.core.$strip>>>;
    warnings: z.ZodOptional<z.ZodArray<z.ZodObject<{
        key: z.ZodString;
        message: z.ZodString;
        workers: z.ZodArray<z.ZodString>;
    }, z.core.$strip>>>;
}, z.core.$strip>;
export interface ReadinessFacts {
    readonly processes?: GatewayContext["processes"];
    /** True while the gateway stops. Only the port for probes reports it: a closing gateway accepts no other connections. */
    readonly stopping?: boolean;
    /** Why model calls wait. */
    readonly hold?: string | undefined;
}
/** Returns whether the gateway takes new sessions, and the state of each worker and its process. */
export declare function readReadiness(pool: WorkerPool, { processes, stopping, hold }?: ReadinessFacts): {
    readonly statusCode: 200 | 503;
    readonly body: z.input<typeof health>;
};
