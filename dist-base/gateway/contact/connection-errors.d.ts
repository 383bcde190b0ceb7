import type { FastifyRequest } from "fastify";
/** Returns true if no connection to the worker could be opened. */
export declare function isConnectError({ code, syscall }: NodeJS.ErrnoException): boolean;
/**
 * Returns true if the error shows that the worker is down. If the connection broke while the request body was being sent,
 * the worker may have refused the body, or the client may have disconnected.
 */
export declare function isWorkerDown({ code }: NodeJS.ErrnoException, { raw }: FastifyRequest): boolean;
