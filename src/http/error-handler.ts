import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { toClientError } from "./client-error.js";
import { logServerError } from "./error-log.js";
import { ApiError, toApiError } from "./errors.js";

export interface ErrorHandlerOptions {
  /** Default: {@link toApiError}. */
  readonly toApiError?: (error: unknown) => ApiError;
  /** Returns the response body. Default: OpenAI's shape. */
  readonly toBody?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => object;
  /** Called for each error that is answered. */
  readonly onAnswer?: (error: ApiError) => void;
}

/** Answers every error with a status and code of the catalogue, and logs server errors. */
export const errorHandler = fp<ErrorHandlerOptions>((app, options, done) => {
  const { toApiError: convert = toApiError, toBody, onAnswer } = options;
  app.setErrorHandler((error, request, reply) => {
    const apiError = convert(error);
    logServerError(request.log, apiError);
    onAnswer?.(apiError);
    return send(apiError, reply, toBody?.(apiError, request, reply));
  });
  // Before the body is read: Fastify would read and parse it, and only then call the handler of unknown routes.
  app.addHook("onRequest", (request, _reply, next) => next(request.is404 ? notFoundError(request) : undefined));
  app.setNotFoundHandler((request, reply) => send(notFoundError(request), reply));
  // `answerClientError` answers these errors, because there is no request yet. They are only counted here.
  app.server.on("clientError", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ECONNRESET") onAnswer?.(toClientError(error));
  });
  done();
});

function notFoundError({ method, url }: FastifyRequest): ApiError {
  const path = url.split("?", 1)[0]?.slice(0, 200);
  return new ApiError("not_found", `Route ${method} ${path} does not exist.`);
}

/**
 * Answers errors that Fastify raises before it looks for a route, such as a malformed URL. Fastify does not call the error
 * handler for these; without this handler, they would have another body.
 */
export function handleFrameworkError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  void send(toApiError(error), reply);
}

function send(error: ApiError, reply: FastifyReply, body: object = error.toBody()): FastifyReply {
  if (error.retryAfterSeconds !== undefined) void reply.header("retry-after", error.retryAfterSeconds);
  return reply.code(error.statusCode).type("application/json").send(body);
}
