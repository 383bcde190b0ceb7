import { onResponseClose } from "../disconnect.js";
const MAX_LOGGED = 20;
/** Returns the first cut answers in the form for the log. */
export function listCut(answers) {
    return answers.slice(0, MAX_LOGGED).map(({ sessions, ...answer }) => ({ ...answer, sessions: sessions.length }));
}
/** The answer to a request that was received. It is open until it is sent or its client disconnects. */
export class Answer {
    #request;
    #reply;
    #socket;
    #begun = false;
    /** Bytes of earlier answers on the same connection. */
    #startedAt = 0;
    sessions = [];
    /** The request's route is only for clients with a key. */
    needsKey;
    constructor(request, reply, needsKey) {
        this.#request = request;
        this.#reply = reply;
        this.needsKey = needsKey;
        this.#socket = request.raw.socket;
        reply.answer = this;
    }
    /**
     * Begins the answer. Call this once the earlier answers on the connection were sent.
     *
     * @param done called when this answer was sent or its client disconnected
     */
    begin(done) {
        this.#begun = true;
        this.#startedAt = countAccepted(this.#socket);
        onResponseClose(this.#reply, done);
    }
    get request() {
        return this.#request.raw;
    }
    get requestComplete() {
        return this.#request.raw.complete;
    }
    /**
     * True if nothing behind the request is read. Node handles a request to upgrade the connection as if it were none, but its parser
     * drops the bytes that came together with it.
     */
    get isLast() {
        const { upgrade, connection } = this.#request.raw.headers;
        return upgrade !== undefined && connection !== undefined && /\bupgrade\b/i.test(connection);
    }
    get statusCode() {
        return this.#reply.raw.statusCode;
    }
    /** Calls `done` when the request was received completely. */
    onReceived(done) {
        const { raw } = this.#request;
        // Node marks a request without a body as complete only after its headers were handled.
        if (raw.complete || !hasBody(raw))
            done();
        else
            raw.once("end", done);
    }
    /** Closes the connection after this answer, and tells the client so if its headers were not sent yet. */
    closeAfter() {
        this.#reply.raw.shouldKeepAlive = false;
    }
    describe() {
        const { method, routeOptions } = this.#request;
        const length = Number(this.#reply.getHeader("content-length") ?? Number.NaN);
        return {
            route: `${method} ${routeOptions.config.pattern ?? routeOptions.url ?? "unmatched"}`,
            bytesSent: this.#begun ? countAccepted(this.#socket) - this.#startedAt : 0,
            bytes: Number.isNaN(length) ? null : length,
            sessions: this.sessions,
        };
    }
}
/** Records which sessions an answer exports, for the log of cut answers. */
export function noteExport({ answer }, sessions) {
    if (answer)
        answer.sessions = sessions;
}
function hasBody({ headers }) {
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
/**
 * Returns how many bytes of a connection the operating system has accepted. Node's public `writableLength` counts a large
 * buffer as unsent until its last byte was accepted. The exact number is in the handle, which is not public.
 */
export function countAccepted(socket) {
    const { _handle: handle } = socket;
    if (handle?.bytesWritten === undefined)
        return socket.bytesWritten - socket.writableLength;
    return handle.bytesWritten - (handle.writeQueueSize ?? 0);
}
//# sourceMappingURL=answer.js.map