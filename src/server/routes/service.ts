import { z } from "zod";
import { weightVersionSchema } from "../../control/weight-version.js";
import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";

const worker = z
  .object({
    tag: z.string(),
    capacity: z.int(),
    sessions: z.int().describe("Sessions that are active or not exported yet."),
    weight_version: weightVersionSchema.describe("Weight version of tokens from engines that report none."),
  })
  .describe("State of the server for gateways. Absent if `server.worker_tag` is not set.");

const health = z.object({
  status: z.enum(["ok", "draining", "engine_unavailable"]),
  message: z.string().optional(),
  worker: worker.optional(),
});

const HEALTH_TIMEOUT_MS = 3000;

/** Health, metrics and the OpenAPI description. */
export function serviceRoutes(app: App, context: ServerContext): void {
  app.get("/health", { schema: { summary: "Readiness", response: { 200: health, 503: health } } }, async (_, reply) => {
    const workerState = describeWorker(context);
    if (context.draining) return reply.code(503).send({ status: "draining", ...workerState });
    try {
      await context.engine.health(AbortSignal.timeout(HEALTH_TIMEOUT_MS));
      return { status: "ok" as const, ...workerState };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return reply.code(503).send({ status: "engine_unavailable", message, ...workerState });
    }
  });

  app.get("/metrics", { schema: { summary: "Prometheus metrics" } }, async (_, reply) => {
    return reply.type(context.metrics.registry.contentType).send(await context.metrics.scrape());
  });

  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}

function describeWorker({ registry, weightVersion }: ServerContext): { worker?: z.input<typeof worker> } {
  const { workerTag: tag, capacity } = registry;
  if (tag === undefined) return {};
  const { active, ended } = registry.countByState();
  return { worker: { tag, capacity, sessions: active + ended, weight_version: weightVersion.known } };
}
