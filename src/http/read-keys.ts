import type { FastifyRequest } from "fastify";

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Returns the API keys of a request, the Bearer key first. An agent's SDK can send two: the session key, and a token of the
 * user's own account that is meant for another service.
 */
export function readKeys({ headers }: FastifyRequest): string[] {
  const { authorization, "x-api-key": apiKey } = headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  return [bearer, apiKey].filter((key): key is string => typeof key === "string" && key !== "");
}
