import { Readable } from "node:stream";
import { native } from "../../native/addon.js";
import type { Batch } from "./batch.js";

/** Bytes of a part. V8 collects its whole heap when 64 MB of such memory were added, so parts stay well below. */
const PART_BYTES = 8 << 20;

/**
 * A batch as a stream of its bytes, without a copy.
 *
 * A view of the whole batch would make V8 collect its whole heap at once, which takes a second on a server with many sessions. So
 * this creates a view of each part, and detaches it when the part was sent.
 *
 * The first parts of a batch are sent while the others are packed.
 */
export class BatchParts extends Readable {
  readonly #batch: Batch;
  readonly #byteLength: number;
  #written: number;
  #waits = false;
  #at = 0;
  /** Parts that may not be sent yet, oldest first. */
  readonly #unsent: Uint8Array[] = [];

  /** @param complete resolves when the whole batch may be sent. If it rejects, the stream fails */
  constructor(batch: Batch, complete: Promise<unknown>) {
    // One part is read ahead at most.
    super({ highWaterMark: 1 });
    this.#batch = batch;
    this.#byteLength = batch.byteLength;
    this.#written = batch.writtenBytes;
    complete.then(
      () => {
        this.#written = this.#byteLength;
        if (this.#waits && !this.destroyed) this._read();
      },
      (error: Error) => this.destroy(error),
    );
  }

  override _read(): void {
    // A pipe asks for a part while it writes the part before. The one before that was sent by then.
    if (this.#unsent.length > 1) this.#detachOldest();
    if (this.#at === this.#byteLength) {
      this.push(null);
      return;
    }
    this.#waits = this.#at >= this.#written;
    if (this.#waits) return;
    const end = Math.min(this.#at + PART_BYTES, this.#written);
    const part = this.#batch.part(this.#at, end);
    this.#at = end;
    this.#unsent.push(part);
    this.push(part);
  }

  /** Ends the stream and detaches all parts. Call this when nothing is sent any more. */
  close(): void {
    this.destroy();
    while (this.#unsent.length > 0) this.#detachOldest();
  }

  #detachOldest(): void {
    const part = this.#unsent.shift();
    if (part) native.freeBytes(part);
  }
}
