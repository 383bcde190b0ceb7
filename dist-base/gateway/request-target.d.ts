import type { FastifyRequest } from "fastify";
/**
 * Returns path and query of a request, byte for byte. `URL` would resolve `..`, so that a path without a route here could match a
 * control route on the worker.
 */
export declare function readTarget({ url }: FastifyRequest): string;
