import { Readable } from "node:stream";
import type { Batch } from "./batch.js";
/**
 * A batch as a stream of its bytes, without a copy.
 *
 * A view of the whole batch would make V8 collect its whole heap at once, which takes a second on a server with many sessions. So
 * this creates a view of each part, and detaches it when the part was sent.
 *
 * The first parts of a batch are sent while the others are packed.
 */
export declare class BatchParts extends Readable {
    #private;
    /** @param complete resolves when the whole batch may be sent. If it rejects, the stream fails */
    constructor(batch: Batch, complete: Promise<unknown>);
    _read(): void;
    /** Ends the stream and detaches all parts. Call this when nothing is sent any more. */
    close(): void;
}
