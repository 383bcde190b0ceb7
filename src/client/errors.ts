/**
 * Why a call got no valid answer. `connection_failed`: the proxy could not be reached, or the connection broke.
 * `request_timed_out`: no answer came in time. `invalid_reply`: the answer is not one of a proxy.
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
  /** HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** The request field at fault. */
  readonly param: string | undefined;
  /** Further fields of the proxy's error. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, { status, param, details, ...rest }: ProxyErrorOptions = {}) {
    super(message, rest);
    this.code = code;
    this.status = status;
    this.param = param;
    this.details = details ?? {};
  }
}
