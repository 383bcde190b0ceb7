import { Readable } from "node:stream";
import { native } from "../../native/addon.js";
import type { Batch } from "./batch.js";

/** Bytes of a part. V8 collects its whole heap when 64 MB of such memory were added, so parts stay well below. */
const PART_BYTES = 8 << 20;

/** Batches of this size are sent in parts. */
export const LARGE_BATCH = 2 * PART_BYTES;

/**
 * A batch as a stream of its bytes, without a copy.
 *
 * A view of the whole batch would make V8 collect its whole heap at once, which takes a second on a server with many sessions. So
 * this creates a view of each part, and detaches it when the part was sent.
 */
export class BatchParts extends Readable {
  readonly #batch: Batch;
  #at = 0;
  /** Parts that may not be sent yet, oldest first. */
  readonly #unsent: Uint8Array[] = [];

  constructor(batch: Batch) {
    // One part is read ahead at most.
    super({ highWaterMark: 1 });
    this.#batch = batch;
  }

  override _read(): void {
    // A pipe asks for a part while it writes the part before. The one before that was sent by then.
    if (this.#unsent.length > 1) this.#detachOldest();
    const end = Math.min(this.#at + PART_BYTES, this.#batch.byteLength);
    if (end === this.#at) {
      this.push(null);
      return;
    }
    const part = this.#batch.part(this.#at, end);
    this.#at = end;
    this.#unsent.push(part);
    this.push(part);
  }

  /** Detaches all parts. Call this when nothing is sent any more. */
  detach(): void {
    while (this.#unsent.length > 0) this.#detachOldest();
  }

  #detachOldest(): void {
    const part = this.#unsent.shift();
    if (part) native.freeBytes(part);
  }
}
