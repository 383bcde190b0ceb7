import Fastify, { type FastifyBaseLogger } from "fastify";
import type { App } from "./app-type.js";
import { answerClientError } from "./client-error.js";
import { Connections } from "./connections/connections.js";
import { handleFrameworkError } from "./error-handler.js";
import { continueLate } from "./expect-continue.js";
import { zodValidator } from "./validation.js";

export interface AppOptions {
  readonly maxBodyBytes: number;
  readonly connections: ConnectionLimits;
  /** Refuses control and export bodies with unknown fields. Default: true. */
  readonly strictControlFields?: boolean | undefined;
  readonly logger?: FastifyBaseLogger | undefined;
}

/** How many connections there may be, and how slow they may be. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Time in which a client must send the headers of a request. 0: no limit. */
  readonly headersTimeoutMilliseconds: number;
  /** Time in which a client must send a whole request. Generation time does not count. 0: no limit. */
  readonly requestTimeoutMilliseconds: number;
  /** How many requests of one connection may wait for the answers before them. */
  readonly maxPipelinedRequests: number;
}

/** Time between two looks for connections that are too slow. Node's default of 30 s would double short limits. */
const CONNECTION_CHECK_MS = 1000;

/** Above the 60 s of common load balancers, so that the balancer closes idle connections, not this server. */
const KEEP_ALIVE_MS = 72_000;

/** Returns a Fastify application with the settings that the server and the gateway share, without routes. */
export function createApp(options: AppOptions): App {
  const { logger, maxBodyBytes, connections, strictControlFields = true } = options;
  const app: App = Fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    requestTimeout: connections.requestTimeoutMilliseconds,
    http: {
      headersTimeout: connections.headersTimeoutMilliseconds,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
    },
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: 512 },
    forceCloseConnections: "idle",
    frameworkErrors: handleFrameworkError,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, app.connections),
    // Fastify's own 503 during a shutdown has no error code. Routes that refuse new work return `server_draining`.
    return503OnClosing: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  app.server.maxConnections = connections.maxConnections;
  // A client may close its side after the request and still read the answer. `disconnectSignal` finds out whether it is gone.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.decorate("connections", new Connections(app.server, connections.maxPipelinedRequests));
  // Must be the first hook: a request whose answer cannot be delivered must have no effect.
  app.addHook("onRequest", (request, reply, next) => app.connections.accept(request, reply, next));
  continueLate(app);
  app.setValidatorCompiler(zodValidator({ strictControlFields }));
  // Response schemas are types and documentation only; they neither check nor filter what is sent.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  return app;
}
