import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../http/errors.js";
import type { Upstream } from "./upstream.js";
import type { Worker, WorkerPool } from "./worker-pool.js";
/** Registers `reply.from`, which streams request and response bodies and never repeats a request. */
export declare const forwarding: import("fastify").FastifyPluginCallback<{
    readonly upstream: Upstream;
}, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
export interface ForwardOptions {
    /** Sent instead of the request's own body. */
    readonly body?: object;
    /** Returns the error for a worker that does not answer. */
    readonly toLossError?: (tag: string, cause?: unknown) => ApiError;
}
/**
 * Forwards the request to a worker and streams the worker's response back. The call has no time limit. It is aborted if its client
 * disconnects or its worker becomes unreachable.
 *
 * If no connection to the worker can be opened, the request waits until the worker returns, and is then sent. If the connection
 * breaks later, the worker may have executed the request, so only the client can send it again.
 */
export declare function forwardTo(pool: WorkerPool, worker: Worker, request: FastifyRequest, reply: FastifyReply, options?: ForwardOptions): FastifyReply;
export declare function workerUnavailableError(tag: string, cause?: unknown): ApiError;
export declare function noWorkerError(): ApiError;
