import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import fp from "fastify-plugin";
import type { App } from "./app-type.js";
import { answerClientError } from "./client-error.js";
import { Connections } from "./connections/connections.js";
import { onResponseClose } from "./disconnect.js";
import { routeRefused } from "./error-handler.js";
import { ApiError, MAX_PARAM_LENGTH } from "./errors.js";
import { continueLate } from "./expect-continue.js";
import { takePathKey } from "./path-key.js";
import { readTraceContext } from "./trace-context.js";
import { zodValidator } from "./validation.js";

export interface AppOptions {
  readonly maxBodyBytes: number;
  readonly connections: ConnectionLimits;
  /** Refuses control and export bodies with unknown fields. Default: true. */
  readonly strictControlFields?: boolean | undefined;
  /** Returns true if the request's route is only for clients with a key. Default: false. */
  readonly needsKey?: (request: FastifyRequest) => boolean;
  readonly logger?: FastifyBaseLogger | undefined;
  /** Logs a line per request. Default: false. */
  readonly accessLog?: boolean | undefined;
}

/** Limits of connections: how many may be open, and how slow their clients may be. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Time in which a client must send the headers of a request. 0: no limit. */
  readonly headersTimeoutMilliseconds: number;
  /** Time in which a client must send a whole request. Generation time does not count. 0: no limit. */
  readonly requestTimeoutMilliseconds: number;
  /** Time without progress after which an answer that its client does not read is cut. 0: no limit. */
  readonly sendTimeoutMilliseconds: number;
}

/** Time between two checks for slow connections. Node's default of 30 s would double short limits. */
const CONNECTION_CHECK_MS = 1000;

/** Above the 60 s of common load balancers, so that the balancer closes idle connections, not this server. */
const KEEP_ALIVE_MS = 72_000;

/** Returns a Fastify application with the settings that the server and the gateway share, without routes. */
export function createApp(options: AppOptions): App {
  const { logger, maxBodyBytes, connections, strictControlFields = true, needsKey = () => false } = options;
  const validator = zodValidator({ strictControlFields });
  const app: App = Fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    requestTimeout: connections.requestTimeoutMilliseconds,
    http: {
      headersTimeout: connections.headersTimeoutMilliseconds,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      // Node would answer without a body, and nothing would count the refusal. `requireHost` refuses these requests.
      requireHostHeader: false,
    },
    childLoggerFactory: (parent, bindings, options, { headers }) => {
      const trace = readTraceContext(headers);
      return parent.child(trace ? { ...bindings, trace_id: trace.traceId } : bindings, options);
    },
    logController: new StreamLog({ disableRequestLogging: true }),
    // Without these, Fastify loads the hundred modules of its own compilers before they are replaced below.
    schemaController: { compilersFactory: buildersOf(validator) },
    bodyLimit: maxBodyBytes,
    rewriteUrl: takePathKey,
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => routeRefused(app, error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, app.connections),
    // Fastify's own 503 during a shutdown has no error code. Routes that refuse new work return `server_draining`.
    return503OnClosing: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  // A client may close its side after the request and still read the answer. `disconnectSignal` finds out whether it is gone.
  // Node drops all headers after the 2,000th without a word, so also a key; their size is limited anyway.
  Object.assign(app.server, { httpAllowHalfOpen: true, maxHeadersCount: 0 });
  const { maxConnections } = connections;
  for (const field of ["responseEnd", "client", "answer"]) app.decorateReply(field, null);
  app.decorate("connections", new Connections(app.server, { maxConnections, needsKey }));
  // Must be the first hook: a request whose answer cannot be delivered must have no effect.
  app.addHook("onRequest", (request, reply, next) => app.connections.accept(request, reply, next));
  if (options.accessLog) void app.register(accessLog);
  app.addHook("onRequest", requireHost);
  app.addHook("onSend", ({ raw: { socket } }, { statusCode }, payload, next) => {
    app.connections.limit.answering(socket, statusCode);
    next(null, payload);
  });
  continueLate(app);
  app.setValidatorCompiler(validator);
  app.setSerializerCompiler(serializer);
  return app;
}

/** Response schemas are types and documentation only; they neither check nor filter what is sent. */
const serializer = () => (data: unknown) => JSON.stringify(data);

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/** Fastify's types know validators of JSON schemas only. */
function buildersOf(validator: ReturnType<typeof zodValidator>): NonNullable<SchemaController["compilersFactory"]> {
  const builders: unknown = { buildValidator: () => validator, buildSerializer: () => serializer };
  return builders as NonNullable<SchemaController["compilersFactory"]>;
}

/**
 * Logs one line per request when its answer was sent or its client disconnected. The line has no headers, no bodies and no query,
 * because a query may contain a key.
 */
const accessLog = fp((app, _options, done) => {
  app.addHook("onRequest", (request, reply, next) => {
    const startedAt = performance.now();
    onResponseClose(reply, (complete) => {
      const line = {
        method: request.method,
        path: request.url.split("?", 1)[0],
        status: reply.raw.headersSent ? reply.raw.statusCode : null,
        complete,
        seconds: Math.round(performance.now() - startedAt) / 1000,
      };
      request.log.info(line, "request");
    });
    next();
  });
  done();
});

/** Refuses requests without a `Host` header, which HTTP/1.1 requires. */
function requireHost({ raw }: FastifyRequest, _reply: FastifyReply, next: (error?: Error) => void): void {
  const isMissing = raw.httpVersion === "1.1" && raw.headers.host === undefined;
  next(isMissing ? new ApiError("malformed_request", "The request has no `Host` header.") : undefined);
}

const FAILED = "answer failed after its headers were sent";

/**
 * Logs answers that fail after their headers were sent. If a connection broke or was closed on purpose, the stack explains nothing, so
 * it is left out. Fastify's own method logs nothing if the logs of requests are disabled.
 */
export class StreamLog extends Fastify.LogController {
  override streamError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    if (!isConnectionError(error)) return reply.log.error({ err: error }, FAILED);
    // A client may close its connection at any time.
    const level = reply.raw.destroyed ? "info" : "warn";
    reply.log[level]({ reasons: [error.message] }, FAILED);
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR", "ECONNRESET", "EPIPE"]);

/** Returns true for errors of connections, to the client or to another server, including those that this server closed. */
function isConnectionError(error: NodeJS.ErrnoException): boolean {
  const { code } = error;
  return error instanceof ApiError || CLOSED.has(code) || code?.startsWith("UND_ERR_") === true;
}
