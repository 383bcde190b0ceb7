import type { FastifyRequest } from "fastify";

/** Scheme and host of a request in the form for proxies, `GET http://host/path`. Servers must accept it (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Returns path and query of a request, byte for byte. `URL` would resolve `..`, so that a path that is not a route here would be
 * one on the worker.
 */
export function readTarget({ url }: FastifyRequest): string {
  const target = url.replace(ORIGIN, "");
  return target.startsWith("/") ? target : `/${target}`;
}
