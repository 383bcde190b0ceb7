import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { PROBE_PATHS } from "../../control/probe-paths.js";
import { weightVersionSchema } from "../../control/weight-version.js";
import type { WeightUpdates } from "../../control/weights/weight-updates.js";
import type { App } from "../../http/app-type.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import type { GatewayMetrics } from "../gateway-metrics.js";
import { mergeMetrics } from "../merge-metrics.js";
import { mergeWarnings } from "../merge-warnings.js";
import { pickCredentials } from "../routing.js";
import type { Worker } from "../worker-pool.js";

const health = z.object({
  status: z.enum(["ok", "no_workers"]),
  message: z.string().optional().describe("Why model calls wait."),
  workers: z.array(
    z.object({
      tag: z.string(),
      status: z.enum(["ok", "draining", "engine_unavailable", "storage_failed", "down"]),
      capacity: z.int(),
      sessions: z.int(),
      weight_version: weightVersionSchema.optional(),
    }),
  ),
  warnings: z.array(z.object({ key: z.string(), message: z.string(), workers: z.array(z.string()) })).optional(),
});

const alive = z.object({ status: z.literal("ok") });

/** Probes, and metrics of the gateway and all workers. */
export function serviceRoutes(
  app: App,
  { pool, upstream, controlMilliseconds, publicMetrics }: GatewayContext,
  { metrics, updates }: { readonly metrics: GatewayMetrics; readonly updates: WeightUpdates },
): void {
  app.get("/livez", { config: { public: true }, schema: { response: { 200: alive } } }, async () => ({
    status: "ok" as const,
  }));

  for (const path of PROBE_PATHS) {
    app.get(path, { config: { public: true }, schema: { response: { 200: alive } } }, async () => ({
      status: "ok" as const,
    }));
  }

  const readiness = async (_: FastifyRequest, reply: FastifyReply) => {
    const workers = pool.all().map(({ tag, state: status, capacity, sessions, weightVersion: weight_version }) => {
      return { tag, status, capacity, sessions, weight_version };
    });
    const warnings = mergeWarnings(pool.living());
    const message = updates.describeHold();
    const state = {
      ...(message === undefined ? {} : { message }),
      workers,
      ...(warnings.length > 0 ? { warnings } : {}),
    };
    if (pool.ready().length === 0) return reply.code(503).send({ status: "no_workers", ...state });
    return { status: "ok" as const, ...state };
  };
  for (const path of ["/readyz", "/health"]) {
    app.get(path, { config: { public: true }, schema: { response: { 200: health, 503: health } } }, readiness);
  }

  app.get("/metrics", { config: { public: publicMetrics } }, async (request, reply) => {
    const headers = pickCredentials(request);
    const scrape = async (worker: Worker) => {
      const call = { method: "GET", path: "/metrics", headers } as const;
      const workerReply = await callWorker(upstream, worker, call, controlMilliseconds);
      return workerReply?.status === 200 ? [{ tag: worker.tag, text: workerReply.body.toString() }] : [];
    };
    const scrapes = (await Promise.all(pool.all().map(scrape))).flat();
    return reply.type(metrics.registry.contentType).send(mergeMetrics([{ text: await metrics.scrape() }, ...scrapes]));
  });
}
