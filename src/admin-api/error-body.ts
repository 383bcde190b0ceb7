import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiError } from "../http/errors.js";
import { isGooglePath } from "../http/google-path.js";
import { toGoogleError } from "../protocols/generate-content/google-error.js";
import { anthropicErrorType, NO_THREADS, THREAD_PARAM } from "../protocols/messages/anthropic-error.js";
import { isAnthropicClient } from "./anthropic-client.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Shape of the route's error bodies. `client`: the shape of the API that the client speaks. Default: `openai`. */
    readonly errors?: "openai" | "anthropic" | "client";
  }
}

/** Returns an error body in the shape of the API that the path, the route or its client speaks. */
export function toErrorBody(error: ApiError, request: FastifyRequest, reply: FastifyReply): object {
  if (isGooglePath(request)) return toGoogleBody(error);
  const { errors } = request.routeOptions.config;
  if (errors === "anthropic") void reply.header("request-id", request.id);
  const isAnthropic = errors === "anthropic" || (errors === "client" && isAnthropicClient(request));
  return isAnthropic ? toAnthropicBody(error) : error.toBody();
}

function toGoogleBody(error: ApiError): object {
  const { message, statusCode: status, code, param, details, retryAfterSeconds } = error;
  return toGoogleError({ message, status, code, param, details, retryAfterSeconds });
}

/** Returns Anthropic's error body. `code`, `param` and the details are additions; they mean the same as in OpenAI's. */
function toAnthropicBody(error: ApiError): object {
  const { message, statusCode, code, param, details } = error;
  const type = anthropicErrorType(statusCode);
  const threads = code === "unsupported_parameter" && param === THREAD_PARAM ? NO_THREADS : {};
  return { type: "error", error: { type, message, code, param: param ?? null, ...threads, ...details } };
}
