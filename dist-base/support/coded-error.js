/** Base of every error that callers tell apart. `code` is stable; the message may change. */
export class CodedError extends Error {
    code;
    param;
    details;
    constructor(code, message, { param, details, ...options } = {}) {
        super(message, options);
        this.code = code;
        this.param = param;
        this.details = details;
    }
}
//# sourceMappingURL=coded-error.js.map