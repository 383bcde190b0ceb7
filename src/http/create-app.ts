import Fastify, { type FastifyBaseLogger } from "fastify";
import type { App } from "./app-type.js";
import { clientErrorHandler } from "./client-error.js";
import { handleFrameworkError } from "./error-handler.js";
import { zodValidator } from "./validation.js";

export interface AppOptions {
  readonly maxBodyBytes: number;
  /** Refuses control and export bodies with unknown fields. Default: true. */
  readonly strictControlFields?: boolean | undefined;
  /** Time in which a client must send a request. Generation time does not count. Default: no limit. */
  readonly requestTimeoutMilliseconds?: number;
  readonly logger?: FastifyBaseLogger | undefined;
}

/** Above the 60 s of common load balancers, so that the balancer closes idle connections, not this server. */
const KEEP_ALIVE_MS = 72_000;

/** Returns a Fastify application with the settings that the server and the gateway share, without routes. */
export function createApp(options: AppOptions): App {
  const { logger, maxBodyBytes, strictControlFields = true, requestTimeoutMilliseconds } = options;
  const app: App = Fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    ...(requestTimeoutMilliseconds === undefined ? {} : { requestTimeout: requestTimeoutMilliseconds }),
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: 512 },
    forceCloseConnections: "idle",
    frameworkErrors: handleFrameworkError,
    clientErrorHandler,
    // Fastify's own 503 during a shutdown has no error code. Routes that refuse new work return `server_draining`.
    return503OnClosing: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  app.setValidatorCompiler(zodValidator({ strictControlFields }));
  // Response schemas are types and documentation only; they neither check nor filter what is sent.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  return app;
}
