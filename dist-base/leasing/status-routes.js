import { z } from "zod";
import { PROBE_PATHS } from "../control/probe-paths.js";
import { LEASE_PATHS, statusReply } from "../rollout/lease/protocol.js";
const alive = z.object({ status: z.literal("ok") });
/** Probes, metrics, and the state of the job. */
export function statusRoutes(app, context, metrics) {
    for (const path of new Set(["/livez", "/readyz", "/health", ...PROBE_PATHS]))
        app.get(path, { config: { public: true }, schema: { response: { 200: alive } } }, async () => ({
            status: "ok",
        }));
    app.get("/metrics", { config: { public: context.publicMetrics } }, async (_, reply) => reply.type(metrics.registry.contentType).send(await metrics.scrape()));
    app.get(LEASE_PATHS.status, { schema: { response: { 200: statusReply } } }, async () => readStatus(context));
}
function readStatus({ tasks, remover, settings, readJob }) {
    const { version, submitted, waiting, accepted, rejected } = readJob();
    const { queued, leased, lost, refused } = tasks.counts;
    const now = performance.now();
    return {
        job_id: settings.job_id,
        state: tasks.done ? "done" : "running",
        version,
        tasks: { submitted, waiting, queued, leased, accepted, rejected },
        lost_attempts: lost,
        refused_reports: refused,
        sessions_to_delete: remover.pending,
        workers: tasks.workers.all().map(({ id, name, lastCall }) => ({
            name,
            worker_id: id,
            leases: tasks.leasesOf(id),
            seconds_since_call: (now - lastCall) / 1000,
        })),
    };
}
//# sourceMappingURL=status-routes.js.map