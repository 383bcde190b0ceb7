/** Anthropic's error types by HTTP status; what has none of its own is one of the request's or of the server's. */
const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

export function anthropicErrorType(status: number): string {
  return TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/** The field by which a client keeps its conversation on the server, and sends only what is new. */
export const THREAD_PARAM = "thread";

/** What tells Anthropic's SDK that a server has no threads: its tool runner then sends whole conversations. */
export const NO_THREADS = { details: { error_code: "thread_unsupported_request", unsupported: [THREAD_PARAM] } };
