import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { onAbort } from "../../support/async/on-abort.js";
import { toClientHeaders } from "./forwarded-headers.js";
import { probeClient } from "./probed-events.js";
/** Fastify and `pipe` add six listeners to a response that already has some. Node's default limit before a warning is ten. */
const MAX_LISTENERS = 20;
/** A call to an upstream, from its start until its answer is sent. */
export class CallProgress {
    /** The outcome if the client receives the whole answer. */
    outcome = "unavailable";
    #reply;
    #controller = new AbortController();
    #isBroken = false;
    #stopProbing = () => { };
    /** @param done called once, when the answer is sent or the client has disconnected */
    constructor(reply, shutdown, done) {
        this.#reply = reply;
        const disconnected = disconnectSignal(reply);
        disconnected.addEventListener("abort", () => this.#controller.abort(disconnected.reason));
        if (disconnected.aborted)
            this.#controller.abort(disconnected.reason);
        const stopping = new ApiError("call_aborted", "The server is shutting down.");
        const listening = onAbort(shutdown, () => this.#controller.abort(stopping));
        onResponseClose(reply, (complete) => {
            listening[Symbol.dispose]();
            this.#stopProbing();
            // If the upstream's answer breaks off, the response is cut, which looks like a disconnect of the client.
            if (this.#isBroken)
                done("unavailable");
            else
                done(complete && !this.signal.aborted ? this.outcome : "aborted");
        });
    }
    /** Aborts when the client disconnects, or when the server stops waiting for calls. */
    get signal() {
        return this.#controller.signal;
    }
    /** Streams the upstream's answer to the client, as fast as the client reads it. */
    sendOn({ statusCode, headers, body }) {
        body.once("error", () => (this.#isBroken = !this.signal.aborted));
        this.#reply.raw.setMaxListeners(MAX_LISTENERS);
        const answer = this.#reply.code(statusCode).headers(toClientHeaders(headers));
        if (!isEventStream(headers))
            return void answer.send(body);
        const { stream, stop } = probeClient(body, this.#reply);
        this.#stopProbing = stop;
        void answer.send(stream);
    }
}
const isEventStream = ({ "content-type": type = "", "content-encoding": encoding }) => type.startsWith("text/event-stream") && encoding === undefined;
//# sourceMappingURL=call-progress.js.map