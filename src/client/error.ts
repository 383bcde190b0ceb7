/**
 * What kept a call from its answer, beside the proxy's own codes: the proxy could not be reached, the connection broke,
 * the time was over, or what came is not an answer of a proxy.
 */
export type TransportErrorCode = "connection_failed" | "request_timed_out" | "invalid_reply";

export interface ProxyErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
  readonly param?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** A call of the proxy that failed. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** A code of docs/errors.md, or a {@link TransportErrorCode}. */
  readonly code: string;
  /** HTTP status; undefined where there was no answer. */
  readonly status: number | undefined;
  /** The field that was wrong. */
  readonly param: string | undefined;
  /** The particulars that the proxy sends beside the message. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, { status, param, details, ...rest }: ProxyErrorOptions = {}) {
    super(message, rest);
    this.code = code;
    this.status = status;
    this.param = param;
    this.details = details ?? {};
  }
}
