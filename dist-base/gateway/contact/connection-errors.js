/** Codes of errors while a connection is being opened. */
const CONNECT_ERRORS = new Set([
    "ECONNREFUSED",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
]);
/** Those of {@link CONNECT_ERRORS} that an established connection can have, too. */
const NETWORK_ERRORS = new Set(["EHOSTUNREACH", "ENETUNREACH"]);
/** The code if the dispatcher refused the request, for example a header of the client. */
const INVALID_REQUEST = "UND_ERR_INVALID_ARG";
/** Returns true if no connection to the worker could be opened. */
export function isConnectError({ code, syscall }) {
    return CONNECT_ERRORS.has(code) && (syscall === "connect" || !NETWORK_ERRORS.has(code));
}
/**
 * Returns true if the error shows that the worker is down. If the connection broke while the request body was being sent,
 * the worker may have refused the body, or the client may have disconnected.
 */
export function isWorkerDown({ code }, { raw }) {
    return code !== INVALID_REQUEST && (raw.complete || CONNECT_ERRORS.has(code));
}
//# sourceMappingURL=connection-errors.js.map