import Fastify, {} from "fastify";
import { ApiError } from "./errors.js";
/**
 * Logs answers that fail after their headers were sent. Fastify logs each with a stack. If a connection broke or was closed on purpose,
 * the stack explains nothing, so it is left out.
 */
export class StreamLog extends Fastify.LogController {
    streamError(error, request, reply) {
        if (!isConnectionError(error))
            return super.streamError(error, request, reply);
        // A client may close its connection at any time.
        const level = reply.raw.destroyed ? "info" : "warn";
        reply.log[level]({ reasons: [error.message] }, "answer failed after its headers were sent");
    }
}
const CLOSED = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR", "ECONNRESET", "EPIPE"]);
/** Returns true for errors of connections, to the client or to another server, including those that this server closed. */
function isConnectionError(error) {
    const { code } = error;
    return error instanceof ApiError || CLOSED.has(code) || code?.startsWith("UND_ERR_") === true;
}
//# sourceMappingURL=stream-log.js.map