import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "./app-type.js";
import { ApiError } from "./errors.js";
export interface ErrorHandlerOptions {
    /** Default: {@link toApiError}. */
    readonly toApiError?: (error: unknown) => ApiError;
    /** Returns the response body. Default: OpenAI's shape. */
    readonly toBody?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => object;
    /** Called for each error that is answered. */
    readonly onAnswer?: (error: ApiError) => void;
}
/** Answers every error with a status and code of the catalogue, and logs server errors. */
export declare const errorHandler: import("fastify").FastifyPluginCallback<ErrorHandlerOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
/**
 * Handles a request that Fastify refuses before routing, such as one with a malformed URL. Fastify runs no hooks for it. This routes
 * it again with a valid path, so that the hooks put it into the queue of its connection, count it, and close the connection if its
 * body was not read. {@link errorHandler} then answers the error before any route runs.
 */
export declare function routeRefused(app: App, error: Error, { raw }: FastifyRequest, reply: FastifyReply): void;
