import { CodedError } from "../support/coded-error.js";
/** A call of the proxy that failed. `code` is a code of docs/reference/errors.md, or a {@link TransportErrorCode}. */
export class ProxyError extends CodedError {
    name = "ProxyError";
    /** HTTP status; undefined if there was no answer. */
    status;
    constructor(code, message, { status, ...options } = {}) {
        super(code, message, { ...options, details: options.details ?? {} });
        this.status = status;
    }
}
//# sourceMappingURL=errors.js.map