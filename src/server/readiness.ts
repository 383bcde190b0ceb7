import { z } from "zod";
import { weightVersionSchema } from "../admin-api/weight-version.js";
import { describeHold } from "../admin-api/weights/weight-updates.js";
import type { SessionRegistry } from "../session/session-registry.js";
import type { ModelWarning } from "./model-warnings.js";
import type { ServerServices } from "./services.js";
import { describeForClients } from "./storage/client-errors.js";
import type { ServerWeights } from "./weights/open-weights.js";

const worker = z
  .object({
    tag: z.string(),
    capacity: z.int().describe("Free slots; 0 while the server is cordoned."),
    sessions: z.int().describe("Sessions that are active, not exported yet, or whose export is not acknowledged."),
    weight_version: weightVersionSchema.describe("Weight version of tokens from engines that report none."),
  })
  .describe("State of the server for gateways. Absent if `server.worker_tag` is not set.");

const warning = z.object({
  key: z.string().describe("The configuration key that may change it."),
  message: z.string(),
});

/** The answer of `GET /readyz` and `GET /health`. */
export const health = z.object({
  status: z.enum(["ok", "cordoned", "draining", "engine_unavailable", "storage_failed"]),
  message: z.string().optional().describe("Why the server is not ready, or why model calls wait."),
  warnings: z
    .array(warning)
    .describe("Features of its model that the server does not support. Absent if empty.")
    .optional(),
  worker: worker.optional(),
});

export const CORDONED = "The server is cordoned: it starts no new sessions.";

/** Returns whether the server takes new sessions, and the reason if it does not. */
export async function readReadiness(
  context: ServerServices,
): Promise<{ readonly statusCode: 200 | 503; readonly body: z.input<typeof health> }> {
  const state = { ...describeWarnings(context), ...describeWorker(context) };
  if (context.draining) return { statusCode: 503, body: { status: "draining", ...state } };
  const failure = context.storage?.storage.failure;
  if (failure)
    return { statusCode: 503, body: { status: "storage_failed", message: describeForClients(failure), ...state } };
  const engine = await context.engineHealth.check();
  if (!engine.ok) return { statusCode: 503, body: { status: "engine_unavailable", message: engine.message, ...state } };
  if (!context.cordoned) return { statusCode: 200, body: { status: "ok", ...describeHeldCalls(context), ...state } };
  // A service that removes servers that are not ready would cut the calls of the sessions.
  const statusCode = countUnfinished(context.registry) > 0 ? 200 : 503;
  return { statusCode, body: { status: "cordoned", message: CORDONED, ...describeHeldCalls(context), ...state } };
}

/** A weight update may hold calls for as long as its trainer wants, which looks like an engine that hangs. */
function describeHeldCalls({ weights, engines }: ServerServices): { message?: string } {
  const all = engines ? engines.all.map(({ services }) => services.weights) : [weights];
  const held = all.map((each) => each && findHold(each)).find((text) => text !== undefined);
  return held === undefined ? {} : { message: held };
}

function findHold({ updates, known }: ServerWeights): string | undefined {
  return known.update && !updates.isActive ? describeHold(known.update, "by a gateway") : updates.describeHold();
}

function describeWarnings({ modelWarnings }: ServerServices): { warnings?: ModelWarning[] } {
  return modelWarnings.length > 0 ? { warnings: [...modelWarnings] } : {};
}

function describeWorker({ registry, weightVersion, cordoned }: ServerServices): { worker?: z.input<typeof worker> } {
  const { workerTag: tag } = registry;
  if (tag === undefined) return {};
  const capacity = cordoned ? 0 : registry.capacity;
  return { worker: { tag, capacity, sessions: countUnfinished(registry), weight_version: weightVersion.known } };
}

/** Returns the number of sessions that are lost if the server stops now and has no storage, or that wait for an acknowledgement. */
export function countUnfinished(registry: SessionRegistry): number {
  let count = 0;
  for (const { state, lifecycle } of registry.all()) {
    if (state === "active" || state === "ended" || lifecycle.held) count++;
  }
  return count;
}
