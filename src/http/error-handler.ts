import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { isAnthropicClient } from "./anthropic-client.js";
import { logAnsweredError } from "./error-log.js";
import { ApiError, toAnthropicBody, toApiError } from "./errors.js";

type ErrorShape = "openai" | "anthropic";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whose error body the route answers; `client`: that of the API which the client speaks. */
    readonly errors?: ErrorShape | "client";
  }
}

/** Answers every error from the catalogue; what the server did not expect goes to the log with its stack. */
export const errorHandler = fp((app, _options, done) => {
  app.setErrorHandler((error, request, reply) => {
    const known = toApiError(error);
    logAnsweredError(request.log, known);
    const shape = shapeOf(request);
    if (shape === "anthropic") void reply.header("request-id", request.id);
    return send(known, reply, shape);
  });
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const path = request.url.split("?", 1)[0]?.slice(0, 200);
    return send(new ApiError("not_found", `There is no ${request.method} ${path}.`), reply);
  });
  done();
});

function shapeOf(request: FastifyRequest): ErrorShape | undefined {
  const { errors } = request.routeOptions.config;
  if (errors !== "client") return errors;
  return isAnthropicClient(request) ? "anthropic" : "openai";
}

/** Answers what Fastify refuses before it looks for a route, a malformed URL for one. */
export function frameworkErrors(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  void send(toApiError(error), reply);
}

function send(error: ApiError, reply: FastifyReply, shape: ErrorShape = "openai"): FastifyReply {
  if (error.retryAfterSeconds !== undefined) void reply.header("retry-after", error.retryAfterSeconds);
  return reply
    .code(error.statusCode)
    .type("application/json")
    .send(shape === "anthropic" ? toAnthropicBody(error) : error.toBody());
}
