import { z } from "zod";
import type { CallOptions, ProxyCalls } from "./proxy-calls.js";
declare const statusReply: z.ZodPipe<z.ZodObject<{
    state: z.ZodEnum<{
        external: "external";
        failed: "failed";
        idle: "idle";
        loading: "loading";
        pausing: "pausing";
        resuming: "resuming";
    }>;
    version: z.ZodInt;
    target_version: z.ZodNullable<z.ZodInt>;
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
        version: z.ZodNullable<z.ZodInt>;
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
}, z.core.$strip>, z.ZodTransform<{
    state: "external" | "failed" | "idle" | "loading" | "pausing" | "resuming";
    version: number;
    mode: "external" | "path" | null;
    path: string | null;
    error: string | null;
    servers: {
        url: string;
        version: number | null;
        state: "excluded" | "failed" | "loaded" | "loading" | "pending";
        seconds: number | null;
        error: string | null;
    }[];
    targetVersion: number | null;
    startedAt: number | null;
    pausedSeconds: number | null;
}, {
    state: "external" | "failed" | "idle" | "loading" | "pausing" | "resuming";
    version: number;
    target_version: number | null;
    mode: "external" | "path" | null;
    path: string | null;
    started_at: number | null;
    paused_seconds: number | null;
    error: string | null;
    servers: {
        url: string;
        version: number | null;
        state: "excluded" | "failed" | "loaded" | "loading" | "pending";
        seconds: number | null;
        error: string | null;
    }[];
}>>;
/** The weights of the engine servers, and the progress of an update. See docs/reference/weights.md. */
export type WeightsStatus = Readonly<z.output<typeof statusReply>>;
/** Weights that the engine loads from a path, or that the caller pushes to the engine servers itself. */
export type NewWeights = {
    readonly version: number;
    readonly path: string;
} | {
    readonly version: number;
    readonly external: true;
};
export interface WeightsOptions extends CallOptions {
    /** Addresses of engine servers to leave out. They are drained and keep their weights. */
    readonly exclude?: readonly string[] | undefined;
    /** Receives the progress a few times a second. */
    readonly onProgress?: ((status: WeightsStatus) => void) | undefined;
}
/** The calls of a weight update. An update goes on if the caller stops waiting for it. */
export declare class WeightCalls {
    #private;
    constructor(calls: ProxyCalls);
    status(options?: CallOptions): Promise<WeightsStatus>;
    update(weights: NewWeights, options: WeightsOptions): Promise<WeightsStatus>;
    finish(version: number, options: WeightsOptions): Promise<WeightsStatus>;
    giveUp(options: CallOptions): Promise<WeightsStatus>;
}
/** Returns the weights in an error of {@link WeightCalls.update} or {@link WeightCalls.finish}; undefined for other errors. */
export declare function failedWeights(error: unknown): WeightsStatus | undefined;
export {};
