import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { z } from "zod";
import { adminAuth } from "../../admin-api/admin-auth.js";
import { toErrorBody } from "../../admin-api/error-body.js";
import { PROBE_PATHS } from "../../admin-api/probe-paths.js";
import { toSessionApiError } from "../../admin-api/session-errors.js";
import type { App } from "../../http/app-type.js";
import { bodyBudget } from "../../http/body-budget.js";
import { BodyShares } from "../../http/body-shares.js";
import { closedConnections } from "../../http/connections/closed-connections.js";
import { type ConnectionLimits, createApp } from "../../http/create-app.js";
import { earlyAnswer } from "../../http/early-answer.js";
import { errorHandler } from "../../http/error-handler.js";
import { jsonBody } from "../../http/json-body.js";
import { httpRequests } from "../../http/metrics/http-requests.js";
import { countRefusals } from "../../http/metrics/refusals.js";
import { LEASE_PATHS, type RolloutStatus, statusReply } from "../../rollout/lease/protocol.js";
import type { ControllerContext } from "./context.js";
import { ControllerMetrics } from "./controller-metrics.js";
import { leaseRoutes } from "./lease-routes.js";

export interface ControllerAppOptions extends ControllerContext {
  readonly adminKey: string;
  readonly maxBodyBytes: number;
  readonly bodyBytesInFlight: number;
  readonly connections: ConnectionLimits;
  readonly logger?: FastifyBaseLogger | undefined;
}

/** Creates the controller as a Fastify application that does not listen yet. Every route but the probes needs the admin key. */
export async function createController({
  adminKey,
  maxBodyBytes,
  bodyBytesInFlight,
  connections,
  logger,
  ...context
}: ControllerAppOptions): Promise<App> {
  const needsKey = ({ routeOptions }: FastifyRequest) => !routeOptions.config.public;
  const app = createApp({ logger, maxBodyBytes, connections, needsKey, accessLog: context.accessLog });
  const metrics = new ControllerMetrics(context);
  const { registry: register } = metrics;
  await app.register(httpRequests, { register, name: "rolltape_controller_http_requests_total" });
  const { sendTimeoutMilliseconds } = connections;
  const metric = "rolltape_controller_closed_connections_total";
  await app.register(closedConnections, { sendTimeoutMilliseconds, register, metric });
  await app.register(earlyAnswer);
  const onAnswer = countRefusals("rolltape_controller_refused_total", register);
  await app.register(errorHandler, { toApiError: toSessionApiError, toBody: toErrorBody, onAnswer });
  await app.register(adminAuth, { adminKey });
  await app.register(bodyBudget, {
    budget: new BodyShares(bodyBytesInFlight),
    findSender: () => null,
    register,
    metric: "rolltape_controller_body_bytes_in_flight",
  });
  await app.register(jsonBody);
  leaseRoutes(app, context, logger);
  statusRoutes(app, context, metrics);
  await app.ready();
  return app;
}

const alive = z.object({ status: z.literal("ok") });

/** Probes, metrics, and the state of the job. */
function statusRoutes(app: App, context: ControllerContext, metrics: ControllerMetrics): void {
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
