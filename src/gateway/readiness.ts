import { z } from "zod";
import { weightVersionSchema } from "../admin-api/weight-version.js";
import type { GatewayContext } from "./context.js";
import { mergeWarnings } from "./merge-warnings.js";
import type { WorkerPool } from "./worker-pool.js";

/** The answer of `GET /readyz` and `GET /health`. */
export const gatewayHealth = z.object({
  status: z.enum(["ok", "no_workers", "draining"]),
  message: z.string().optional().describe("Why model calls wait."),
  workers: z.array(
    z.object({
      tag: z.string(),
      status: z.enum(["ok", "cordoned", "draining", "engine_unavailable", "storage_failed", "leaving", "down"]),
      capacity: z.int(),
      sessions: z.int(),
      weight_version: weightVersionSchema.optional(),
    }),
  ),
  processes: z
    .array(
      z.object({
        name: z.string(),
        status: z.enum(["starting", "ready", "restarting", "failed"]),
        tag: z.string().optional(),
        restarts: z.int(),
        ended: z.string().optional(),
      }),
    )
    .optional(),
  warnings: z.array(z.object({ key: z.string(), message: z.string(), workers: z.array(z.string()) })).optional(),
});

export interface ReadinessFacts {
  readonly processes?: GatewayContext["processes"];
  /** True while the gateway stops. Only the port for probes reports it: a closing gateway accepts no other connections. */
  readonly stopping?: boolean;
  /** Why model calls wait. */
  readonly hold?: string | undefined;
}

/** Returns whether the gateway takes new sessions, and the state of each worker and its process. */
export function readGatewayReadiness(
  pool: WorkerPool,
  { processes, stopping = false, hold }: ReadinessFacts = {},
): {
  readonly statusCode: 200 | 503;
  readonly body: z.input<typeof gatewayHealth>;
} {
  const workers = pool.all().map(({ tag, state, isLeaving, capacity, sessions, weightVersion: weight_version }) => {
    const status = isLeaving && state === "ok" ? ("leaving" as const) : state;
    return { tag, status, capacity, sessions, weight_version };
  });
  const warnings = mergeWarnings(pool.living());
  const started = processes ? { processes: [...processes()] } : {};
  const message = hold === undefined ? {} : { message: hold };
  const state = { ...message, workers, ...started, ...(warnings.length > 0 ? { warnings } : {}) };
  if (stopping) return { statusCode: 503, body: { status: "draining", ...state } };
  if (pool.ready().length === 0) return { statusCode: 503, body: { status: "no_workers", ...state } };
  return { statusCode: 200, body: { status: "ok", ...state } };
}
