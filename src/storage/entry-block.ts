import type { Entry } from "./changes.js";

const FIRST_BYTES = 1 << 18;

/** Memory for entries that are read and used together. A buffer for each value would cost an allocation and its garbage collection. */
export class EntryBlock {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #used = 0;
  readonly #keys: Buffer[] = [];
  /** Where each value begins in the block. */
  readonly #starts: number[] = [];

  /** Size of the block in bytes. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Adds an entry, with a copy of its value. */
  add(key: Buffer, value: Buffer): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#used);
    this.#keys.push(key);
    this.#starts.push(this.#used);
    this.#used += value.length;
  }

  /** Returns the entries in the order in which they were added. Their values are views of the block until {@link clear}. */
  entries(): Entry[] {
    return this.#keys.map((key, i) => {
      return { key, value: this.#bytes.subarray(this.#starts[i], this.#starts[i + 1] ?? this.#used) };
    });
  }

  clear(): void {
    this.#used = 0;
    this.#keys.length = 0;
    this.#starts.length = 0;
  }

  #reserve(length: number): void {
    const needed = this.#used + length;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

/** Maximum number of unused blocks, and maximum size of each in bytes. */
const MAX_UNUSED = 4;
const MAX_UNUSED_BYTES = 1 << 24;

/** A pool of blocks, which are reused. */
export class EntryBlocks {
  readonly #unused: EntryBlock[] = [];

  take(): EntryBlock {
    return this.#unused.pop() ?? new EntryBlock();
  }

  /** Takes a block back. Its entries must not be used any more. */
  giveBack(block: EntryBlock): void {
    block.clear();
    if (this.#unused.length < MAX_UNUSED && block.capacity <= MAX_UNUSED_BYTES) this.#unused.push(block);
  }
}
