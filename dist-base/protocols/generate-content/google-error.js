/** Google's error codes by HTTP status. For other statuses, {@link googleStatus} returns one of two general codes. */
const STATUSES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    410: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
    507: "RESOURCE_EXHAUSTED",
};
export function googleStatus(status) {
    return STATUSES[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
}
/** Returns an error body in Google's shape. Its details have Rolltape's code and field, and the time to wait before the next attempt. */
export function toGoogleError(fields) {
    const { message, status, code, param, details = {}, retryAfterSeconds: seconds } = fields;
    const metadata = Object.fromEntries(Object.entries({ code, ...(param ? { param } : {}), ...details }).map(([key, value]) => [key, toText(value)]));
    const info = { "@type": `${TYPES}ErrorInfo`, reason: code.toUpperCase(), domain: "rolltape", metadata };
    const retry = seconds === undefined ? [] : [{ "@type": `${TYPES}RetryInfo`, retryDelay: `${seconds}s` }];
    return { error: { code: status, message, status: googleStatus(status), details: [info, ...retry] } };
}
const TYPES = "type.googleapis.com/google.rpc.";
/** Values of the metadata are strings. */
const toText = (value) => (typeof value === "string" ? value : JSON.stringify(value));
//# sourceMappingURL=google-error.js.map