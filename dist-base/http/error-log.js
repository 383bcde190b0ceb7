/** Server errors that are expected in normal operation. */
const EXPECTED = new Set([
    "server_draining",
    "server_busy",
    "shared_memory_full",
    "store_full",
]);
/**
 * Logs an error that is answered with a status of 500 or more. Only internal errors are logged with a stack. For failures of
 * the engine or the machine, the messages of their causes are enough.
 */
export function logServerError(log, error) {
    const { code, statusCode, message, cause } = error;
    if (statusCode < 500)
        return;
    if (code === "internal_error")
        log.error({ err: cause ?? error, code }, message);
    else if (EXPECTED.has(code))
        log.info({ code }, message);
    else
        log.warn({ code, reasons: listReasons(cause, message) }, message);
}
/** Returns the messages of the causes that differ from the answered message. */
function listReasons(cause, message) {
    const reasons = [];
    for (let error = cause; error instanceof Error; error = error.cause) {
        if (error.message !== message)
            reasons.push(error.message);
    }
    return reasons;
}
//# sourceMappingURL=error-log.js.map