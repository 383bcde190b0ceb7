import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { App } from "./app-type.js";
import { toSocketApiError } from "./client-error.js";
import { ErrorLog } from "./error-log.js";
import { ApiError, bodyTooLargeError, toApiError } from "./errors.js";
import { replaceTarget } from "./path-key.js";

export interface ErrorHandlerOptions {
  /** Default: {@link toApiError}. */
  readonly toApiError?: (error: unknown) => ApiError;
  /** Returns the response body. Default: OpenAI's shape. */
  readonly toBody?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => object;
  /** Called for each error that is answered. */
  readonly onAnswer?: (error: ApiError, request?: FastifyRequest) => void;
}

/** Answers every error with a status and code of the catalogue, and logs server errors. */
export const errorHandler = fp<ErrorHandlerOptions>((app, options, done) => {
  const { toApiError: convert = toApiError, toBody, onAnswer } = options;
  const errors = new ErrorLog();
  app.setErrorHandler((error, request, reply) => {
    const apiError = convert(isBodyTooLarge(error) ? createBodyError(request) : error);
    errors.write(request.log, apiError);
    onAnswer?.(apiError, request);
    return send(apiError, reply, toBody?.(apiError, request, reply));
  });
  // Before the body is read: Fastify would read and parse it, and only then call the handler of unknown routes.
  app.addHook("onRequest", (request, _reply, next) => {
    next(unrouted.get(request.raw) ?? (request.is404 ? notFoundError(request) : undefined));
  });
  // `answerClientError` answers these errors, because Fastify gets no request. They are only counted here.
  app.server.on("clientError", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ECONNRESET") onAnswer?.(toSocketApiError(error));
  });
  done();
});

function isBodyTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === "FST_ERR_CTP_BODY_TOO_LARGE";
}

/** Replaces Fastify's error, which names neither the limit nor the size. */
function createBodyError({ headers, server }: FastifyRequest): ApiError {
  const declared = headers["content-length"];
  return bodyTooLargeError(server.initialConfig.bodyLimit ?? 0, declared === undefined ? undefined : Number(declared));
}

function notFoundError({ method, url }: FastifyRequest): ApiError {
  const path = url.split("?", 1)[0]?.slice(0, 200);
  return new ApiError("not_found", `Route ${method} ${path} does not exist.`);
}

/** Errors that Fastify raised before routing, by request. */
const unrouted = new WeakMap<IncomingMessage, Error>();

/** No route has this path, except a gateway's route for all paths. */
const NO_ROUTE = "/.unrouted";

/**
 * Handles a request that Fastify refuses before routing, such as one with a malformed URL. Fastify runs no hooks for it. This routes
 * it again with a valid path, so that the hooks assign it to its connection, count it, and close the connection if its
 * body was not read. {@link errorHandler} then answers the error before any route runs.
 */
export function routeRefused(app: App, error: Error, { raw }: FastifyRequest, reply: FastifyReply): void {
  unrouted.set(raw, error);
  replaceTarget(raw, NO_ROUTE);
  app.routing(raw, reply.raw);
}

function send(error: ApiError, reply: FastifyReply, body: object = error.toBody()): FastifyReply {
  if (error.retryAfterSeconds !== undefined) void reply.header("retry-after", error.retryAfterSeconds);
  if (!error.mayBeRepeated) void reply.header("x-should-retry", "false");
  return reply.code(error.statusCode).type("application/json").send(body);
}
