import { z } from "zod";
import { weightVersionSchema } from "../admin-api/weight-version.js";
import { describeHold } from "../admin-api/weights/weight-updates.js";
import type { ModelWarning } from "./model-warnings.js";
import type { ServerServices } from "./services.js";
import { describeForClients } from "./storage/client-errors.js";

const worker = z
  .object({
    tag: z.string(),
    capacity: z.int(),
    sessions: z.int().describe("Sessions that are active or not exported yet."),
    weight_version: weightVersionSchema.describe("Weight version of tokens from engines that report none."),
  })
  .describe("State of the server for gateways. Absent if `server.worker_tag` is not set.");

const warning = z.object({
  key: z.string().describe("The configuration key that may change it."),
  message: z.string(),
});

/** The answer of `GET /readyz` and `GET /health`. */
export const health = z.object({
  status: z.enum(["ok", "draining", "engine_unavailable", "storage_failed"]),
  message: z.string().optional().describe("Why the server is not ready, or why model calls wait."),
  warnings: z
    .array(warning)
    .describe("Features of its model that the server does not support. Absent if empty.")
    .optional(),
  worker: worker.optional(),
});

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
  if (engine.ok) return { statusCode: 200, body: { status: "ok", ...describeHeldCalls(context), ...state } };
  return { statusCode: 503, body: { status: "engine_unavailable", message: engine.message, ...state } };
}

/** A weight update may hold calls for as long as its trainer wants, which looks like an engine that hangs. */
function describeHeldCalls({ weights }: ServerServices): { message?: string } {
  if (!weights) return {};
  const { updates, known } = weights;
  const held = known.update && !updates.isActive ? describeHold(known.update, "by a gateway") : updates.describeHold();
  return held === undefined ? {} : { message: held };
}

function describeWarnings({ modelWarnings }: ServerServices): { warnings?: ModelWarning[] } {
  return modelWarnings.length > 0 ? { warnings: [...modelWarnings] } : {};
}

function describeWorker({ registry, weightVersion }: ServerServices): { worker?: z.input<typeof worker> } {
  const { workerTag: tag, capacity } = registry;
  if (tag === undefined) return {};
  const { active, ended } = registry.countByState();
  return { worker: { tag, capacity, sessions: active + ended, weight_version: weightVersion.known } };
}
