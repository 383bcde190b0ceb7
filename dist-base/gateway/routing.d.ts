import type { FastifyReply, FastifyRequest } from "fastify";
import type { Worker, WorkerPool } from "./worker-pool.js";
/**
 * Returns the worker that the request's session key names, and waits for it if it is absent. If a request has two keys, one may be
 * for another service, so the first key that names a known worker decides. A request without a session key goes to any worker,
 * because all of them have the same admin key.
 *
 * @throws ApiError if keys name only unknown workers
 */
export declare function findWorkerByKey(request: FastifyRequest, reply: FastifyReply, pool: WorkerPool): Promise<Worker>;
/** Returns the worker that a session id names, and waits for it if it is absent. */
export declare function findWorkerBySession(sessionId: string, reply: FastifyReply, pool: WorkerPool): Promise<Worker>;
/** Returns the headers with the keys of a request, for calls on behalf of its client. */
export declare function pickCredentials({ headers }: FastifyRequest): Record<string, string>;
