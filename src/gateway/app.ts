import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { adminAuth } from "../admin-api/admin-auth.js";
import { toErrorBody } from "../admin-api/error-body.js";
import { toSessionApiError } from "../admin-api/session-errors.js";
import type { App } from "../http/app-type.js";
import { bodyBudget } from "../http/body-budget.js";
import { BodyShares } from "../http/body-shares.js";
import { closedConnections } from "../http/connections/closed-connections.js";
import { type ConnectionLimits, createApp } from "../http/create-app.js";
import { earlyAnswer } from "../http/early-answer.js";
import { errorHandler } from "../http/error-handler.js";
import type { ApiError } from "../http/errors.js";
import { jsonBody } from "../http/json-body.js";
import { httpRequests } from "../http/metrics/http-requests.js";
import { countRefusals } from "../http/metrics/refusals.js";
import { failTrace, tracing } from "../http/tracing.js";
import { SharedMemory, type SharedMemoryOptions } from "../session/batch/batch-memory.js";
import { SharedExports } from "../session/export/shared-exports.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { GatewayContext } from "./context.js";
import { forwarding } from "./forward.js";
import { GatewayMetrics } from "./gateway-metrics.js";
import { bodyHolding } from "./hold-body.js";
import { capacityRoutes } from "./routes/capacity.js";
import { gatewayCordonRoutes } from "./routes/cordon.js";
import { gatewayEndRoutes } from "./routes/end-sessions.js";
import { gatewayEngineRoutes } from "./routes/engine.js";
import { gatewayExportRoutes } from "./routes/export.js";
import { forwardedCallRoutes } from "./routes/forwarded-calls.js";
import { gatewayServiceRoutes } from "./routes/service.js";
import { gatewaySessionRoutes } from "./routes/sessions.js";
import { gatewayTranscriptRoutes } from "./routes/transcripts.js";
import { versionRoutes } from "./routes/version.js";
import { gatewayWeightRoutes } from "./routes/weights.js";
import { ModelWeights } from "./weights/model-weights.js";

export interface GatewayOptions extends GatewayContext {
  readonly maxBodyBytes: number;
  readonly connections: ConnectionLimits;
  /** Admin key of the workers. Undefined: only the workers check keys. */
  readonly adminKey?: string | undefined;
  /** Limit of the bytes of all control bodies that are being received, and of the bodies of calls that wait for a worker. */
  readonly bodyBytesInFlight: number;
  /** Refuses control and export bodies with unknown fields, as the workers do. Default: true. */
  readonly strictControlFields?: boolean;
  readonly sharedMemory?: SharedMemoryOptions;
  /** Default: no traces. */
  readonly telemetry?: Telemetry | undefined;
  readonly logger?: FastifyBaseLogger | undefined;
}

export interface Gateway {
  readonly app: App;
  /** Returns why model calls wait; undefined if they do not. */
  readonly describeHold: () => string | undefined;
}

/** Time between two searches for batches in shared memory whose reader or lease has ended. */
const SWEEP_MS = 5_000;

/**
 * Creates the gateway as a Fastify application that does not listen yet. Workers check all keys; with `adminKey`, the gateway
 * checks the keys of control calls first. Closing it closes neither the pool nor the connections to the workers.
 */
export async function createGateway({
  logger,
  maxBodyBytes,
  connections,
  bodyBytesInFlight,
  adminKey,
  strictControlFields,
  sharedMemory: sharedMemoryOptions,
  telemetry,
  ...context
}: GatewayOptions): Promise<Gateway> {
  const needsKey = ({ routeOptions }: FastifyRequest) => !routeOptions.config.public;
  const app = createApp({
    logger,
    maxBodyBytes,
    connections,
    strictControlFields,
    needsKey,
    accessLog: context.accessLog,
  });
  const metrics = new GatewayMetrics(context.pool);
  const weights = new ModelWeights(context, {
    logger: app.log,
    metrics: metrics.weights,
    checksKeys: adminKey !== undefined,
  });
  app.addHook("preClose", async () => weights.close());
  const sharedMemory = new SharedMemory(sharedMemoryOptions);
  const sharedExports = new SharedExports();
  const sweeps = setInterval(() => {
    sharedExports.reap();
    sharedMemory.trim();
  }, SWEEP_MS).unref();
  app.addHook("onClose", async () => {
    clearInterval(sweeps);
    sharedExports.close();
    sharedMemory.close();
  });
  await app.register(httpRequests, { register: metrics.registry, name: "rolltape_gateway_http_requests_total" });
  await app.register(closedConnections, {
    sendTimeoutMilliseconds: connections.sendTimeoutMilliseconds,
    register: metrics.registry,
    metric: "rolltape_gateway_closed_connections_total",
  });
  await app.register(earlyAnswer);
  const count = countRefusals("rolltape_gateway_refused_total", metrics.registry);
  const onAnswer = (error: ApiError, request?: FastifyRequest) => {
    count(error);
    failTrace(error, request);
  };
  await app.register(tracing, { telemetry, isTraced: needsKey });
  await app.register(errorHandler, { toApiError: toSessionApiError, toBody: toErrorBody, onAnswer });
  const budget = new BodyShares(bodyBytesInFlight);
  await app.register(bodyHolding, { budget });
  await app.register(forwarding, { upstream: context.upstream });
  // Two scopes: control bodies are parsed here. Bodies of model calls are forwarded without parsing.
  await app.register(async (control: App) => {
    await control.register(adminAuth, { adminKey });
    await control.register(bodyBudget, {
      budget,
      findSender: () => null,
      register: metrics.registry,
      metric: "rolltape_gateway_body_bytes_in_flight",
    });
    await control.register(jsonBody);
    capacityRoutes(control, context);
    gatewayCordonRoutes(control, context);
    gatewaySessionRoutes(control, context);
    gatewayEndRoutes(control, context);
    gatewayTranscriptRoutes(control, context);
    gatewayExportRoutes(control, { ...context, metrics, sharedMemory, sharedExports });
    versionRoutes(control, context, weights);
    gatewayEngineRoutes(control, context, weights);
    gatewayWeightRoutes(control, weights);
    gatewayServiceRoutes(control, context, { metrics, weights });
  });
  await app.register(async (calls) => forwardedCallRoutes(calls, context));
  await app.ready();
  return { app, describeHold: () => weights.describeHold() };
}
