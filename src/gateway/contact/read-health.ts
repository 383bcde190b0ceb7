import { z } from "zod";
import { weightVersionSchema } from "../../control/weight-version.js";
import { workerWarningsSchema } from "../merge-warnings.js";
import type { WorkerConnections } from "../worker-connections.js";

const healthSchema = z.object({
  status: z.enum(["ok", "draining", "engine_unavailable", "storage_failed"]),
  warnings: workerWarningsSchema,
  worker: z
    .object({
      tag: z.string(),
      capacity: z.int(),
      sessions: z.int(),
      weight_version: weightVersionSchema.optional(),
    })
    .optional(),
});

export type WorkerHealth = z.output<typeof healthSchema>;

/** The state of a worker that answers. */
export type ServingState = WorkerHealth["status"];

const HEALTH_TIMEOUT_MS = 3_000;

/** Returns the health report of a worker; undefined if it does not answer, or if its answer is not a health report. */
export async function readHealth(upstream: WorkerConnections, url: string): Promise<WorkerHealth | undefined> {
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const { body } = await upstream.call(url, { method: "GET", path: "/health", signal });
    return healthSchema.parse(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}
