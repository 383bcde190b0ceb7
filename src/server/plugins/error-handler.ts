import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { ApiError, toApiError } from "../errors.js";

/** Answers every error from the catalogue; what the server did not expect goes to the log with its stack. */
export const errorHandler = fp((app, _options, done) => {
  app.setErrorHandler((error, request, reply) => {
    const known = toApiError(error);
    if (known.statusCode >= 500) request.log.error({ err: known.cause ?? known, code: known.code }, known.message);
    return send(known, reply);
  });
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const path = request.url.split("?", 1)[0]?.slice(0, 200);
    return send(new ApiError("not_found", `There is no ${request.method} ${path}.`), reply);
  });
  done();
});

/** Answers what Fastify refuses before it looks for a route, a malformed URL for one. */
export function frameworkErrors(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  void send(toApiError(error), reply);
}

function send(error: ApiError, reply: FastifyReply): FastifyReply {
  if (error.retryAfterSeconds !== undefined) void reply.header("retry-after", error.retryAfterSeconds);
  return reply.code(error.statusCode).type("application/json").send(error.toBody());
}
