import { turns } from "../../support/async/turns.js";
/**
 * Writes texts to a response in the order of the calls. Short texts are written at once. A long text is written in pieces, one in each
 * iteration of the event loop. A piece waits until the client has read most of the pieces before it.
 */
export class PieceWriter {
    #raw;
    #events;
    #waiting = [];
    #busy = false;
    /** True from a write beyond the buffer's size until the operating system has taken the buffer. */
    #full = false;
    #ending = false;
    #onDrain;
    constructor(raw, events) {
        this.#raw = raw;
        this.#events = events;
        raw.on("drain", () => {
            this.#full = false;
            if (this.#onDrain)
                this.#onDrain();
            else
                void this.#offerRoom();
        });
        raw.on("close", () => this.#onDrain?.());
    }
    /** False while a long text is being written, or the client reads too slowly. */
    get hasRoom() {
        return !this.#busy && !this.#full;
    }
    write(text, onFlushed) {
        if (!this.#busy && typeof text === "string") {
            this.#writeNow(text, onFlushed);
            return;
        }
        this.#waiting.push({ text, onFlushed });
        if (!this.#busy)
            void this.#writeWaiting();
    }
    /** Ends the response after all texts. */
    end() {
        this.#ending = true;
        if (!this.#busy)
            this.#raw.end();
    }
    async #writeWaiting() {
        this.#busy = true;
        try {
            for (let next = this.#waiting.shift(); next && !this.#raw.destroyed; next = this.#waiting.shift()) {
                if (typeof next.text === "string")
                    this.#writeNow(next.text, next.onFlushed);
                else
                    await this.#writePieces(next.text, next.onFlushed);
            }
        }
        catch (error) {
            this.#events.onError(error);
            this.#raw.destroy();
        }
        this.#busy = false;
        if (this.#ending)
            this.#raw.end();
        else
            await this.#offerRoom();
    }
    async #writePieces(text, onFlushed) {
        let last;
        for (const piece of text.pieces()) {
            if (last !== undefined)
                this.#writeNow(last);
            last = piece;
            await this.#untilRoom();
            await turns.next();
            if (this.#raw.destroyed)
                return;
        }
        this.#writeNow(last ?? "", onFlushed);
    }
    #writeNow(text, onFlushed) {
        this.#full = !this.#raw.write(text, "utf8", onFlushed);
    }
    async #untilRoom() {
        if (!this.#full || this.#raw.destroyed)
            return;
        await new Promise((resolve) => (this.#onDrain = resolve));
        this.#onDrain = undefined;
    }
    async #offerRoom() {
        await turns.next();
        if (this.hasRoom && !this.#raw.destroyed)
            this.#events.onRoom();
    }
}
//# sourceMappingURL=piece-writer.js.map