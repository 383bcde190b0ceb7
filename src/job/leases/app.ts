import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { adminAuth } from "../../control/admin-auth.js";
import { toErrorBody } from "../../control/error-body.js";
import { toSessionApiError } from "../../control/session-errors.js";
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
import type { ControllerContext } from "./context.js";
import { ControllerMetrics } from "./controller-metrics.js";
import { leaseRoutes } from "./lease-routes.js";
import { statusRoutes } from "./status-routes.js";

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
