import { z } from "zod";
import { weightVersionSchema } from "../control/weight-version.js";
import { mergeWarnings } from "./merge-warnings.js";
/** The answer of `GET /readyz` and `GET /health`. */
export const health = z.object({
    status: z.enum(["ok", "no_workers", "draining"]),
    message: z.string().optional().describe("Why model calls wait."),
    workers: z.array(z.object({
        tag: z.string(),
        status: z.enum(["ok", "draining", "engine_unavailable", "storage_failed", "down"]),
        capacity: z.int(),
        sessions: z.int(),
        weight_version: weightVersionSchema.optional(),
    })),
    processes: z
        .array(z.object({
        name: z.string(),
        status: z.enum(["starting", "ready", "restarting", "failed"]),
        tag: z.string().optional(),
        restarts: z.int(),
        ended: z.string().optional(),
    }))
        .optional(),
    warnings: z.array(z.object({ key: z.string(), message: z.string(), workers: z.array(z.string()) })).optional(),
});
/** Returns whether the gateway takes new sessions, and the state of each worker and its process. */
export function readReadiness(pool, { processes, stopping = false, hold } = {}) {
    const workers = pool.all().map(({ tag, state: status, capacity, sessions, weightVersion: weight_version }) => {
        return { tag, status, capacity, sessions, weight_version };
    });
    const warnings = mergeWarnings(pool.living());
    const started = processes ? { processes: [...processes()] } : {};
    const message = hold === undefined ? {} : { message: hold };
    const state = { ...message, workers, ...started, ...(warnings.length > 0 ? { warnings } : {}) };
    if (stopping)
        return { statusCode: 503, body: { status: "draining", ...state } };
    if (pool.ready().length === 0)
        return { statusCode: 503, body: { status: "no_workers", ...state } };
    return { statusCode: 200, body: { status: "ok", ...state } };
}
//# sourceMappingURL=readiness.js.map