import type { FastifyRequest } from "fastify";
import type { JsonLimits } from "../native/contract.js";
import { type Steps } from "../support/async/steps.js";
/** Resolves to the value of a JSON body. */
export type ParseBody = (json: Buffer) => Promise<unknown>;
declare module "fastify" {
    interface FastifyRequest {
        /** Size of the JSON body in bytes; 0 until it is received. */
        bodyBytes: number;
        /** The JSON body as it was received, if `keepsBytes` returned true; null after {@link takeBodyJson}. */
        bodyJson: Buffer | null;
    }
}
export interface JsonBodyOptions {
    /** Returns the limits of a request's body, which are checked before it is parsed. Default: {@link CONTROL_LIMITS}. */
    readonly limits?: (request: FastifyRequest) => JsonLimits;
    /**
     * Reads a large body. Default: parses it. The event loop runs between two long bodies, and between parsing and the next step.
     */
    readonly readLarge?: (request: FastifyRequest, json: Buffer, parse: ParseBody) => Promise<unknown>;
    /** Returns true if the request keeps the bytes of the body in addition to the parsed value. Default: false. */
    readonly keepsBytes?: (request: FastifyRequest) => boolean;
    /** Returns the value that routes receive; `value` is the parsed `text`. */
    readonly revive?: (text: string, value: unknown) => Steps<unknown>;
}
/**
 * Reads request bodies as JSON. An empty body counts as `{}` whatever its content type, because some clients send none on
 * control calls. Top-level fields that are `null` count as absent.
 */
export declare const jsonBody: import("fastify").FastifyPluginCallback<JsonBodyOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
/** Returns the bytes of the body and removes them from the request, which may stay in memory much longer. */
export declare function takeBodyJson(request: FastifyRequest): Buffer | null;
