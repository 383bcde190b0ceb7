import { pipeline, Transform } from "node:stream";
import { onHalfOpen } from "../../http/half-open.js";
/** The end of an event: an empty line. Nothing was sent yet, or the stream is between two events. */
const BETWEEN_EVENTS = /^$|\n\n$|\r\r$|\r\n\r\n$/;
const LONGEST_END = 4;
/** A comment, which clients of event streams ignore. */
const COMMENT = ":\n\n";
/** Passes an event stream on byte for byte, except for the comments of {@link probe}. */
class ProbedEvents extends Transform {
    #end = "";
    _transform(chunk, _encoding, done) {
        this.#end = (this.#end + chunk.subarray(-LONGEST_END).toString("latin1")).slice(-LONGEST_END);
        done(null, chunk);
    }
    /** Sends a comment if the stream is between two events. */
    probe() {
        const isOpen = !this.writableEnded && !this.destroyed;
        if (isOpen && BETWEEN_EVENTS.test(this.#end))
            this.push(COMMENT);
    }
}
/**
 * Returns an upstream's event stream for the client. If the client closes its side of the connection, comments are sent to it. If the
 * client is gone, such a write fails, and the call is aborted even if the upstream sends nothing for a long time.
 *
 * @returns the stream, and a function that must be called when the response is closed
 */
export function probeClient(events, reply) {
    const probed = new ProbedEvents();
    const stop = onHalfOpen(reply, () => probed.probe());
    return { stream: pipeline(events, probed, () => undefined), stop };
}
//# sourceMappingURL=probed-events.js.map