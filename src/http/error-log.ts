import type { FastifyBaseLogger } from "fastify";
import type { ApiError, ErrorCode } from "./errors.js";

/** Server errors that are expected in normal operation. */
const EXPECTED: ReadonlySet<ErrorCode> = new Set([
  "server_draining",
  "server_busy",
  "shared_memory_full",
  "store_full",
]);

/** Errors that anyone can cause without a key. */
const KEYLESS: ReadonlySet<ErrorCode> = new Set([...EXPECTED, "worker_unavailable"]);

/** Minimum time between two lines of the same code. */
const KEYLESS_MS = 1000;

/**
 * Logs the errors of a server. Errors that can be caused without a key are logged once a second for each code. The line has the number
 * of errors before it that were left out.
 */
export class ErrorLog {
  readonly #last = new Map<ErrorCode, { readonly at: number; omitted: number }>();
  readonly #now: () => number;

  /** @param now clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  write(log: FastifyBaseLogger, error: ApiError): void {
    const { code } = error;
    if (!KEYLESS.has(code)) return logServerError(log, error);
    const last = this.#last.get(code);
    const at = this.#now();
    if (last && at - last.at < KEYLESS_MS) {
      last.omitted++;
      return;
    }
    this.#last.set(code, { at, omitted: 0 });
    logServerError(last && last.omitted > 0 ? log.child({ omitted: last.omitted }) : log, error);
  }
}

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
