import type { FastifyBaseLogger } from "fastify";
import type { ApiError } from "./errors.js";
/**
 * Logs an error that is answered with a status of 500 or more. Only internal errors are logged with a stack. For failures of
 * the engine or the machine, the messages of their causes are enough.
 */
export declare function logServerError(log: FastifyBaseLogger, error: ApiError): void;
