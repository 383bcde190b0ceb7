import type { FastifyBaseLogger } from "fastify";
import type { ApiError, ErrorCode } from "./errors.js";

/** Refusals that a server in good order makes. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(["server_draining", "shared_memory_full"]);

/**
 * Logs an error of the server's side that is answered. A stack is written only for what nobody expected; of what an
 * engine or the machine did wrong, the reasons say all.
 */
export function logAnsweredError(log: FastifyBaseLogger, error: ApiError): void {
  const { code, statusCode, message, cause } = error;
  if (statusCode < 500) return;
  if (code === "internal_error") log.error({ err: cause ?? error, code }, message);
  else if (REFUSALS.has(code)) log.info({ code }, message);
  else log.warn({ code, reasons: reasonsOf(cause, message) }, message);
}

/** What the errors behind an answer say beyond the answer itself. */
function reasonsOf(cause: unknown, message: string): string[] {
  const reasons: string[] = [];
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error.message !== message) reasons.push(error.message);
  }
  return reasons;
}
