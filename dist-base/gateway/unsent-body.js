import { Readable } from "node:stream";
/**
 * Wraps a request body so that it can be sent again if no byte of it was sent. If a connection is refused, the HTTP client destroys
 * the body of the request; this wrapper is then destroyed, but its source stays readable.
 */
export class UnsentBody extends Readable {
    #source;
    #isRead = false;
    constructor(source) {
        super({ highWaterMark: source.readableHighWaterMark });
        this.#source = source;
    }
    /** True once the HTTP client has begun to read the body, which it does when it is connected. */
    get isRead() {
        return this.#isRead;
    }
    _read() {
        if (!this.#isRead)
            this.#start();
        this.#source.resume();
    }
    _destroy(error, done) {
        const source = this.#source;
        source.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose).off("error", this.#onError);
        if (this.#isRead && !source.readableEnded)
            source.pause();
        done(error);
    }
    #start() {
        this.#isRead = true;
        const source = this.#source;
        source.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose).on("error", this.#onError);
        if (source.readableEnded)
            this.#onEnd();
        else if (source.destroyed)
            this.#onClose();
    }
    #onData = (chunk) => {
        if (!this.push(chunk))
            this.#source.pause();
    };
    #onEnd = () => void this.push(null);
    #onError = (error) => void this.destroy(error);
    /** The source closed without `end`, because the client disconnected. */
    #onClose = () => {
        if (!this.#source.readableEnded)
            this.destroy(new Error("The client closed its connection."));
    };
}
//# sourceMappingURL=unsent-body.js.map