import { Readable } from "node:stream";
import { native } from "../../native/addon.js";
import type { Batch } from "./batch.js";

/**
 * Size of a part in bytes. V8 collects its whole heap after 64 MB of new external memory, and the event loop waits while the kernel
 * copies a part, so a part is much smaller.
 */
const PART_BYTES = 4 << 20;

/**
 * A batch as a stream of its bytes, without a copy.
 *
 * A view of the whole batch would make V8 collect its whole heap at once, which takes a second on a server with many sessions. So
 * this creates a view of each part, and detaches it when the part was sent.
 *
 * Parts of a batch are sent while the next ones are packed. The last part waits until the export is complete, so a client never has
 * a whole body of an export that failed.
 */
export class BatchParts extends Readable {
  readonly #batch: Batch;
  readonly #byteLength: number;
  #isComplete = false;
  #isWaiting = false;
  #at = 0;
  /** Parts that the socket may still read, oldest first. */
  readonly #inUse: Uint8Array[] = [];

  /** @param complete resolves when the last part may be sent. If it rejects, the stream fails */
  constructor(batch: Batch, complete: Promise<unknown>) {
    // One part is read ahead at most.
    super({ highWaterMark: 1 });
    this.#batch = batch;
    this.#byteLength = batch.byteLength;
    batch.onWritten = () => this.#resume();
    complete.then(
      () => {
        this.#isComplete = true;
        this.#resume();
      },
      (error: Error) => this.destroy(error),
    );
  }

  override _read(): void {
    // The pipe asks for the next part while it writes the current one. All earlier parts are sent.
    if (this.#inUse.length > 1) this.#detachOldest();
    // The kernel often takes a part at once, and the pipe then asks for the next one. Push it in the next iteration of the event
    // loop, so that other work runs between two parts.
    setImmediate(() => this.#pushNext());
  }

  #pushNext(): void {
    if (this.destroyed) return;
    if (this.#at === this.#byteLength) {
      this.push(null);
      return;
    }
    // Only the last part may be smaller: a pipe would not wait until a small one is sent.
    const end = Math.min(this.#at + PART_BYTES, this.#byteLength);
    this.#isWaiting = end > this.#sendableBytes();
    if (this.#isWaiting) return;
    const part = this.#batch.part(this.#at, end);
    this.#at = end;
    this.#inUse.push(part);
    this.push(part);
  }

  /** Ends the stream and detaches all parts. Call this when nothing is sent any more. */
  close(): void {
    this.destroy();
    while (this.#inUse.length > 0) this.#detachOldest();
  }

  /** Number of bytes at the start of the batch that may be sent. The last one waits until the export is complete. */
  #sendableBytes(): number {
    return this.#isComplete ? this.#byteLength : Math.min(this.#batch.writtenBytes, this.#byteLength - 1);
  }

  #resume(): void {
    if (this.#isWaiting) this.#pushNext();
  }

  #detachOldest(): void {
    const part = this.#inUse.shift();
    if (part) native.freeBytes(part);
  }
}
