import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { logAnsweredError } from "./error-log.js";
import { ApiError, toApiError } from "./errors.js";

export interface ErrorHandlerOptions {
  /** Default: {@link toApiError}. */
  readonly toApiError?: (error: unknown) => ApiError;
  /** Returns the body of an answer. Default: OpenAI's shape. */
  readonly toBody?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => object;
}

/** Answers every error with a status and code of the catalogue. Unexpected errors are logged with their stack. */
export const errorHandler = fp<ErrorHandlerOptions>((app, options, done) => {
  const { toApiError: translate = toApiError, toBody } = options;
  app.setErrorHandler((error, request, reply) => {
    const known = translate(error);
    logAnsweredError(request.log, known);
    return send(known, reply, toBody?.(known, request, reply));
  });
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const path = request.url.split("?", 1)[0]?.slice(0, 200);
    return send(new ApiError("not_found", `There is no ${request.method} ${path}.`), reply);
  });
  done();
});

/** Answers what Fastify refuses before it looks for a route, such as a malformed URL. */
export function frameworkErrors(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  void send(toApiError(error), reply);
}

function send(error: ApiError, reply: FastifyReply, body: object = error.toBody()): FastifyReply {
  if (error.retryAfterSeconds !== undefined) void reply.header("retry-after", error.retryAfterSeconds);
  return reply.code(error.statusCode).type("application/json").send(body);
}
