import { CodedError, type CodedErrorOptions } from "../support/coded-error.js";
/**
 * Why a call got no valid answer. `connection_failed`: the proxy could not be reached, or the connection broke.
 * `request_timed_out`: no answer came in time. `invalid_reply`: the answer is not one of a proxy.
 */
export type TransportErrorCode = "connection_failed" | "request_timed_out" | "invalid_reply";
export interface ProxyErrorOptions extends CodedErrorOptions {
    readonly status?: number | undefined;
}
/** A call of the proxy that failed. `code` is a code of docs/reference/errors.md, or a {@link TransportErrorCode}. */
export declare class ProxyError extends CodedError {
    readonly name = "ProxyError";
    /** HTTP status; undefined if there was no answer. */
    readonly status: number | undefined;
    /** Further fields of the proxy's error. */
    readonly details: Readonly<Record<string, unknown>>;
    constructor(code: string, message: string, { status, ...options }?: ProxyErrorOptions);
}
