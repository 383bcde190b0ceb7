import { TABLES, type Table } from "../changes.js";
import { CHANGE_UNIT, measureChange } from "./record.js";

/** A change in a segment, without its value. */
export interface ListedChange {
  readonly table: Table;
  /** A view, which the next call of `add` may make invalid. */
  readonly key: Buffer;
  /** Where the change begins in the file. */
  readonly at: number;
  /** Undefined: the key was removed. */
  readonly valueLength: number | undefined;
}

const ENTRY_BYTES = 12;
const REMOVED = 0xffff_ffff;
const FIRST_BYTES = 2 ** 12;

/**
 * The changes of a segment without their values, in their order, in one block of bytes. Each is: where it begins, in units of
 * {@link CHANGE_UNIT} (4 bytes), number of its table (1), zero (1), length of the key (2), length of the value (4; 2^32 - 1: removed), key.
 * Numbers are little-endian.
 */
export class ChangeList {
  #bytes: Buffer;
  #used: number;

  /** @param bytes of another list, which this one takes over */
  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes;
    this.#used = bytes.length;
  }

  /** Adds a change. Returns where the next one begins in the file. */
  add(table: Table, key: Uint8Array, at: number, valueLength: number | undefined): number {
    const start = this.#reserve(ENTRY_BYTES + key.length);
    const bytes = this.#bytes;
    bytes.writeUInt32LE(at / CHANGE_UNIT, start);
    bytes.writeUInt16LE(TABLES.indexOf(table), start + 4);
    bytes.writeUInt16LE(key.length, start + 6);
    bytes.writeUInt32LE(valueLength ?? REMOVED, start + 8);
    bytes.set(key, start + ENTRY_BYTES);
    return at + measureChange(key.length, valueLength);
  }

  /** Returns the bytes of the list, as a view. */
  toBytes(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  /** @throws Error if the bytes are not those of a list */
  *[Symbol.iterator](): Generator<ListedChange> {
    for (let start = 0; start < this.#used; ) {
      const table = TABLES[this.#bytes.readUInt16LE(start + 4)];
      if (!table) throw new Error("it names an unknown table");
      const keyAt = start + ENTRY_BYTES;
      const keyEnd = keyAt + this.#bytes.readUInt16LE(start + 6);
      const valueLength = this.#bytes.readUInt32LE(start + 8);
      yield {
        table,
        key: this.#bytes.subarray(keyAt, keyEnd),
        at: this.#bytes.readUInt32LE(start) * CHANGE_UNIT,
        valueLength: valueLength === REMOVED ? undefined : valueLength,
      };
      start = keyEnd;
    }
  }

  /** Returns where the next bytes of the list go. */
  #reserve(length: number): number {
    const start = this.#used;
    this.#used += length;
    if (this.#used > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#used, 2 * this.#bytes.length, FIRST_BYTES));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    return start;
  }
}
