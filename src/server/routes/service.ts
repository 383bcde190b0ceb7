import { z } from "zod";
import { PROBE_PATHS } from "../../control/probe-paths.js";
import { weightVersionSchema } from "../../control/weight-version.js";
import { describeHold } from "../../control/weights/weight-updates.js";
import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
import type { ModelWarning } from "../model-warnings.js";

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

const health = z.object({
  status: z.enum(["ok", "draining", "engine_unavailable", "storage_failed"]),
  message: z.string().optional().describe("Why the server is not ready, or why model calls wait."),
  warnings: z
    .array(warning)
    .describe("Features of its model that the server does not support. Absent if empty.")
    .optional(),
  worker: worker.optional(),
});

const alive = z.object({ status: z.literal("ok") });

/** Probes, metrics and the OpenAPI description. */
export function serviceRoutes(app: App, context: ServerContext): void {
  // A lost engine must not make an orchestrator end a process that holds sessions: the engine may come back, they do not.
  app.get("/livez", { schema: { summary: "Liveness", response: { 200: alive } } }, async () => ({
    status: "ok" as const,
  }));

  for (const path of PROBE_PATHS) {
    app.get(path, { schema: { hide: true, response: { 200: alive } } }, async () => ({ status: "ok" as const }));
  }

  for (const path of ["/readyz", "/health"]) {
    app.get(path, { schema: { summary: "Readiness", response: { 200: health, 503: health } } }, async (_, reply) => {
      const state = { ...describeWarnings(context), ...describeWorker(context) };
      if (context.draining) return reply.code(503).send({ status: "draining", ...state });
      const failure = context.storage?.storage.failure;
      if (failure) return reply.code(503).send({ status: "storage_failed", message: failure.message, ...state });
      const engine = await context.engineHealth.check();
      if (engine.ok) return { status: "ok" as const, ...describeHeldCalls(context), ...state };
      return reply.code(503).send({ status: "engine_unavailable", message: engine.message, ...state });
    });
  }

  const scrapeKey = context.settings.publicMetrics ? "none" : "admin";
  app.get("/metrics", { config: { key: scrapeKey }, schema: { summary: "Prometheus metrics" } }, async (_, reply) => {
    return reply.type(context.metrics.registry.contentType).send(await context.metrics.scrape());
  });

  app.get("/openapi.json", { config: { key: scrapeKey }, schema: { hide: true } }, async () => app.swagger());
}

/** A weight update may hold calls for as long as its trainer wants, which looks like an engine that hangs. */
function describeHeldCalls({ weights }: ServerContext): { message?: string } {
  if (!weights) return {};
  const { updates, known } = weights;
  const held = known.update && !updates.isActive ? describeHold(known.update, "by a gateway") : updates.describeHold();
  return held === undefined ? {} : { message: held };
}

function describeWarnings({ modelWarnings }: ServerContext): { warnings?: ModelWarning[] } {
  return modelWarnings.length > 0 ? { warnings: [...modelWarnings] } : {};
}

function describeWorker({ registry, weightVersion }: ServerContext): { worker?: z.input<typeof worker> } {
  const { workerTag: tag, capacity } = registry;
  if (tag === undefined) return {};
  const { active, ended } = registry.countByState();
  return { worker: { tag, capacity, sessions: active + ended, weight_version: weightVersion.known } };
}
