/** Anthropic's error types by HTTP status. For other statuses, {@link anthropicErrorType} has two general types. */
const TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
};
export function anthropicErrorType(status) {
    return TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}
/** The field with which a client keeps its conversation on the server and sends only new messages. */
export const THREAD_PARAM = "thread";
/** Error details that tell Anthropic's SDK that a server has no threads. Its tool runner then sends whole conversations. */
export const NO_THREADS = { details: { error_code: "thread_unsupported_request", unsupported: [THREAD_PARAM] } };
//# sourceMappingURL=anthropic-error.js.map