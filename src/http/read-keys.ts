import type { FastifyRequest } from "fastify";

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Returns the keys that came with a request, the Bearer key first. Agents' SDKs can send two, of which one is for another
 * service: a token of the user's own account beside the key that they were given.
 */
export function readKeys({ headers }: FastifyRequest): string[] {
  const { authorization, "x-api-key": plain } = headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  return [bearer, plain].filter((key): key is string => typeof key === "string" && key !== "");
}
