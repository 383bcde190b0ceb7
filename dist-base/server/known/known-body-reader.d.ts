import type { FastifyRequest } from "fastify";
import type { ParseBody } from "../../http/json-body.js";
import { type KnownBody } from "./known-body.js";
import type { Recent } from "./recent.js";
/**
 * Returns a reader of large bodies. It parses only the part that the session's recent bodies do not have, and at most one
 * long text per round of the event loop.
 *
 * @param isKept returns false for bodies of calls to upstreams, which would displace those of the policy's calls
 */
export declare function createKnownBodyReader(known: Recent<KnownBody>, isKept?: (value: unknown) => boolean): (request: FastifyRequest, json: Buffer, parse: ParseBody) => Promise<unknown>;
