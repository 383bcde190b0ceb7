import { Readable } from "node:stream";
import { native } from "../../native/addon.js";
/** Size of a part in bytes. V8 collects its whole heap after 64 MB of new external memory, so a part is much smaller. */
const PART_BYTES = 4 << 20;
/**
 * A batch as a stream of its bytes, without a copy.
 *
 * A view of the whole batch would make V8 collect its whole heap at once, which takes a second on a server with many sessions. So
 * this creates a view of each part, and detaches it when the part was sent.
 *
 * The first parts of a batch are sent while the others are packed.
 */
export class BatchParts extends Readable {
    #batch;
    #byteLength;
    #written;
    #isWaiting = false;
    #at = 0;
    /** Parts that the socket may still read, oldest first. */
    #inUse = [];
    /** @param complete resolves when the whole batch may be sent. If it rejects, the stream fails */
    constructor(batch, complete) {
        // One part is read ahead at most.
        super({ highWaterMark: 1 });
        this.#batch = batch;
        this.#byteLength = batch.byteLength;
        this.#written = batch.writtenBytes;
        complete.then(() => {
            this.#written = this.#byteLength;
            if (this.#isWaiting && !this.destroyed)
                this._read();
        }, (error) => this.destroy(error));
    }
    _read() {
        // The pipe asks for the next part while it writes the current one. All earlier parts are sent.
        if (this.#inUse.length > 1)
            this.#detachOldest();
        if (this.#at === this.#byteLength) {
            this.push(null);
            return;
        }
        // Only the last part may be smaller: a pipe would not wait until a small one is sent.
        const end = Math.min(this.#at + PART_BYTES, this.#byteLength);
        this.#isWaiting = end > this.#written;
        if (this.#isWaiting)
            return;
        const part = this.#batch.part(this.#at, end);
        this.#at = end;
        this.#inUse.push(part);
        this.push(part);
    }
    /** Ends the stream and detaches all parts. Call this when nothing is sent any more. */
    close() {
        this.destroy();
        while (this.#inUse.length > 0)
            this.#detachOldest();
    }
    #detachOldest() {
        const part = this.#inUse.shift();
        if (part)
            native.freeBytes(part);
    }
}
//# sourceMappingURL=batch-parts.js.map