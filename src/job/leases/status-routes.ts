import { z } from "zod";
import { PROBE_PATHS } from "../../control/probe-paths.js";
import type { App } from "../../http/app-type.js";
import { LEASE_PATHS, type RolloutStatus, statusReply } from "../../rollout/lease/protocol.js";
import type { ControllerContext } from "./context.js";
import type { ControllerMetrics } from "./controller-metrics.js";

const alive = z.object({ status: z.literal("ok") });

/** Probes, metrics, and the state of the job. */
export function statusRoutes(app: App, context: ControllerContext, metrics: ControllerMetrics): void {
  for (const path of new Set(["/livez", "/readyz", "/health", ...PROBE_PATHS]))
    app.get(path, { config: { public: true }, schema: { response: { 200: alive } } }, async () => ({
      status: "ok" as const,
    }));

  app.get("/metrics", { config: { public: context.publicMetrics } }, async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.scrape()),
  );

  app.get(LEASE_PATHS.status, { schema: { response: { 200: statusReply } } }, () => readStatus(context));
}

async function readStatus({ tasks, store, remover, settings }: ControllerContext): Promise<RolloutStatus> {
  const { version, submitted, waiting, queued, leased, accepted, earlier, rejected, lost } = await store.readCounts();
  const leases = await store.readLeases();
  const now = performance.now();
  return {
    job_id: settings.job_id,
    state: tasks.done ? "done" : "running",
    version,
    tasks: { submitted, waiting, queued, leased, accepted: accepted - earlier, rejected },
    lost_attempts: lost,
    refused_reports: tasks.counts.refused,
    sessions_to_delete: remover.pending,
    workers: tasks.workers.all().map(({ id, name, lastCall }) => ({
      name,
      worker_id: id,
      leases: leases.get(id) ?? 0,
      seconds_since_call: (now - lastCall) / 1000,
    })),
  };
}
