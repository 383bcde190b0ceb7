import type { FastifyBaseLogger } from "fastify";
import type { ApiError, ErrorCode } from "./errors.js";

/** Server errors that are expected in normal operation. */
const EXPECTED: ReadonlySet<ErrorCode> = new Set([
  "server_draining",
  "server_busy",
  "shared_memory_full",
  "store_full",
]);

/**
 * Logs an error that is answered with a status of 500 or more. Only internal errors are logged with a stack. For failures of
 * the engine or the machine, the messages of their causes are enough.
 */
export function logServerError(log: FastifyBaseLogger, error: ApiError): void {
  const { code, statusCode, message, cause } = error;
  if (statusCode < 500) return;
  if (code === "internal_error") log.error({ err: cause ?? error, code }, message);
  else if (EXPECTED.has(code)) log.info({ code }, message);
  else log.warn({ code, reasons: listReasons(cause, message) }, message);
}

/** Returns the messages of an error's causes, each once and without `message`. */
export function listReasons(cause: unknown, message: string): string[] {
  const reasons = new Set<string>();
  for (let error = cause; error instanceof Error; error = error.cause) reasons.add(error.message);
  reasons.delete(message);
  return [...reasons];
}
