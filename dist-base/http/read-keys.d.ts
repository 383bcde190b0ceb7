import type { FastifyRequest } from "fastify";
/** Message of the error `missing_api_key`. */
export declare const MISSING_KEY = "The request has no key. Send `Authorization: Bearer KEY`, `x-api-key: KEY` or `x-goog-api-key: KEY`.";
/**
 * Returns the API keys of a request, the Bearer key first. An agent's SDK can send two: the session key, and a token of the
 * user's own account that is meant for another service.
 */
export declare function readKeys(request: FastifyRequest): string[];
