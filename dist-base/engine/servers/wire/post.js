import { onAbort } from "../../../support/async/on-abort.js";
import { transportError } from "./errors.js";
/**
 * Sends a request and passes the reply's body to the sink as it comes from the socket, without a copy or a stream in
 * between. Resolves when the body is complete. Rejects with the signal's reason, with the sink's error, or with an
 * EngineError if the connection failed.
 */
export function post(dispatcher, request, use, sink) {
    return new Promise((resolve, reject) => {
        const { signal, path, headers, body } = request;
        const handler = new PostHandler(sink, use, request.origin, settle);
        function settle(error) {
            listening[Symbol.dispose]();
            if (error === undefined)
                resolve();
            else
                reject(error);
        }
        if (signal.aborted)
            return reject(signal.reason);
        const listening = onAbort(signal, () => handler.abort(signal.reason));
        // KeepAliveClient finds the request's ConnectionUse in `opaque`.
        const options = { method: "POST", path, headers, body, opaque: use };
        dispatcher.dispatch(options, handler);
    });
}
/**
 * Receives the events of one request.
 *
 * Implements the deprecated one of undici's two handler interfaces on purpose: only that one has `onBodySent`. Without
 * it, {@link ConnectionUse} cannot tell a request that never left this process, which another server may get, from one
 * that may have run; failover would either stop or generate twice. Do not add methods of the new interface: if
 * `onRequestStart` exists, undici ignores the methods below. test/engine/servers/failover.test.ts covers this.
 */
class PostHandler {
    #sink;
    #use;
    #origin;
    #settle;
    #abortRequest;
    #failure;
    constructor(sink, use, origin, settle) {
        this.#sink = sink;
        this.#use = use;
        this.#origin = origin;
        this.#settle = settle;
    }
    /** Ends the request early. The caller gets this error immediately, before undici reports its own. */
    abort(error) {
        if (this.#failure)
            return;
        this.#failure = { error };
        this.#settle(error);
        this.#abortRequest?.(toError(error));
    }
    onConnect(abort) {
        this.#abortRequest = abort;
        if (this.#failure)
            abort(toError(this.#failure.error));
    }
    onBodySent() {
        this.#use.written();
    }
    onHeaders(status, headers) {
        if (status >= 200)
            this.#guard(() => this.#sink.begin(status, (name) => findHeader(headers, name)));
        return true;
    }
    onData(piece) {
        this.#guard(() => this.#sink.piece(piece));
        return true;
    }
    onComplete() {
        if (!this.#failure)
            this.#settle();
    }
    onError(error) {
        if (!this.#failure)
            this.#settle(transportError(error, this.#origin));
    }
    #guard(task) {
        if (this.#failure)
            return;
        try {
            task();
        }
        catch (error) {
            this.abort(error);
        }
    }
}
/** @param headers alternating names and values */
function findHeader(headers, name) {
    const at = headers.findIndex((field, index) => index % 2 === 0 && field.toString("latin1").toLowerCase() === name);
    return at < 0 ? "" : (headers[at + 1]?.toString("latin1") ?? "");
}
function toError(reason) {
    return reason instanceof Error ? reason : new Error(String(reason));
}
//# sourceMappingURL=post.js.map