import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { Entry, Table } from "../changes.js";
import type { EntryBlock } from "../entry-block.js";
import { readError } from "../errors.js";
import type { ListedChange } from "./change-list.js";
import { KeyIndex } from "./key-index.js";
import { atOf, type LogPosition, MAX_SLOTS, packPlace, sizeOf, slotOf } from "./log-position.js";
import { CHANGE_HEADER_BYTES, measureChange, readChange } from "./record.js";

/** A file of the log. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** Where its records end. */
  end: number;
  /** Size of its changes that are the newest of their keys, in bytes, rounded up by at most 4%. */
  live: number;
}

/** Space that a storage takes. */
export interface StorageSize {
  /** Size of the records in all segments. */
  readonly fileBytes: number;
  /** Size of the newest values in them, rounded up. The rest was replaced or removed, or pads records. */
  readonly usedBytes: number;
}

/** The value of a key is not at its place in the log: the bytes there are damaged, or the file is missing. */
export class DamagedValueError extends Error {
  override readonly name = "DamagedValueError";
  readonly key: Buffer;

  constructor(key: Buffer, reason: string) {
    super(reason);
    this.key = key;
  }
}

/** Where bytes are. */
interface Bytes {
  readonly slot: number;
  readonly path: string;
  readonly at: number;
  readonly length: number;
}

const EMPTY = Buffer.alloc(0);
/** Maximum size of the buffer that is kept for the next read. */
const KEPT_BYTES = 2 ** 22;

/** The segments of a log, and the newest value of each key. */
export class SegmentSet {
  readonly #index = new KeyIndex();
  readonly #slots: (Segment | undefined)[] = [];
  readonly #slotOf = new Map<Segment, number>();
  readonly #maxFiles: number;
  /** Open files by slot, in the order of their last use. */
  readonly #files = new Map<number, number>();
  #buffer = Buffer.alloc(2 ** 16);

  /** @param maxFiles maximum number of files that are open at a time */
  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  /** The segments in their order. */
  get segments(): Iterable<Segment> {
    return this.#slotOf.keys();
  }

  get count(): number {
    return this.#slotOf.size;
  }

  /** Adds a segment after all others. */
  add(number: number, path: string, end = 0): Segment {
    const free = this.#slots.indexOf(undefined);
    const slot = free === -1 ? this.#slots.length : free;
    if (slot >= MAX_SLOTS) throw new Error(`a storage has at most ${MAX_SLOTS} segments`);
    const segment = { number, path, end, live: 0 };
    this.#slots[slot] = segment;
    this.#slotOf.set(segment, slot);
    return segment;
  }

  /** Removes a segment without values. */
  remove(segment: Segment): void {
    const slot = this.#slot(segment);
    if (segment.live !== 0) throw new Error(`${basename(segment.path)} has values that are needed`);
    this.#closeFile(slot);
    this.#slots[slot] = undefined;
    this.#slotOf.delete(segment);
  }

  /** Makes a change of a segment the newest one of its key. */
  apply(segment: Segment, { table, key, at, valueLength }: ListedChange): void {
    const place = valueLength === undefined ? 0 : this.#place(segment, { key, at, valueLength });
    const before = this.#index.set(table, key, place);
    if (before !== 0) (this.#slots[slotOf(before)] as Segment).live -= sizeOf(before);
    if (place !== 0) segment.live += sizeOf(place);
  }

  /** Returns true if a change of a segment is the newest one of its key, and sets a value. */
  isNewest(segment: Segment, { table, key, at, valueLength }: ListedChange): boolean {
    if (valueLength === undefined) return false;
    return this.#index.get(table, key) === this.#place(segment, { key, at, valueLength });
  }

  /** @throws DamagedValueError if the value is damaged, StorageError `storage_failed` if the disk refuses the read */
  get(table: Table, key: Buffer): Buffer | undefined {
    const place = this.#index.get(table, key);
    return place === 0 ? undefined : Buffer.from(this.#read(table, key, place));
  }

  has(table: Table, key: Buffer): boolean {
    return this.#index.get(table, key) !== 0;
  }

  /** Reads the value of a change of a segment. Does not check the header and key before it. */
  readListed(segment: Segment, { key, at, valueLength = 0 }: ListedChange): Buffer {
    const valueAt = at + CHANGE_HEADER_BYTES + key.length;
    const place = { slot: this.#slot(segment), path: segment.path, at: valueAt, length: valueLength };
    const bytes = this.#readBytes(key, place);
    if (bytes.length < valueLength)
      throw new DamagedValueError(key, `${basename(segment.path)} is damaged at byte ${at}`);
    return Buffer.from(bytes);
  }

  /** Adds the entries of these keys to a block, in their order. Keys without a value are left out. Throws like {@link get}. */
  readInto(block: EntryBlock, table: Table, keys: readonly Buffer[]): void {
    for (const key of keys) {
      const place = this.#index.get(table, key);
      if (place !== 0) block.add(key, this.#read(table, key, place));
    }
  }

  /**
   * Reads all entries whose keys begin with `prefix`, in ascending order of keys.
   *
   * @param onDamage called with the error of each value that is damaged. Default: throws it
   */
  *range(table: Table, prefix: Buffer = EMPTY, onDamage: (error: DamagedValueError) => void = fail): Generator<Entry> {
    for (const { key, place } of this.#index.keys(table, prefix)) {
      let value: Buffer;
      try {
        value = Buffer.from(this.#read(table, key, place));
      } catch (error) {
        if (!(error instanceof DamagedValueError)) throw error;
        onDamage(error);
        continue;
      }
      yield { key, value };
    }
  }

  *keys(table: Table, prefix: Buffer = EMPTY): Generator<Buffer> {
    for (const { key } of this.#index.keys(table, prefix)) yield key;
  }

  readSize(): StorageSize {
    let [fileBytes, usedBytes] = [0, 0];
    for (const { end, live } of this.segments) {
      fileBytes += end;
      usedBytes += live;
    }
    return { fileBytes, usedBytes: Math.min(usedBytes, fileBytes) };
  }

  close(): void {
    for (const slot of Array.from(this.#files.keys())) this.#closeFile(slot);
  }

  #place(segment: Segment, { key, at, valueLength }: Pick<ListedChange, "key" | "at" | "valueLength">): LogPosition {
    return packPlace(this.#slot(segment), at, measureChange(key.length, valueLength));
  }

  #slot(segment: Segment): number {
    const slot = this.#slotOf.get(segment);
    if (slot === undefined) throw new Error(`${basename(segment.path)} was removed`);
    return slot;
  }

  /** Returns a view of a value, which the next read overwrites. */
  #read(table: Table, key: Buffer, place: LogPosition): Buffer {
    const { path } = this.#slots[slotOf(place)] as Segment;
    const at = atOf(place);
    const bytes = this.#readBytes(key, { slot: slotOf(place), path, at, length: sizeOf(place) });
    try {
      const change = readChange(bytes, 0, at);
      const [keyAt, valueAt] = [change.keyAt - at, change.keyAt - at + change.keyLength];
      const end = valueAt + (change.valueLength ?? Number.NaN);
      const isChange = change.table === table && bytes.subarray(keyAt, valueAt).equals(key) && end <= bytes.length;
      if (isChange) return bytes.subarray(valueAt, end);
    } catch {
      // The header is damaged.
    }
    throw new DamagedValueError(key, `${basename(path)} is damaged at byte ${at}`);
  }

  #readBytes(key: Buffer, { slot, path, at, length }: Bytes): Buffer {
    const isKept = length <= KEPT_BYTES;
    if (isKept && length > this.#buffer.length) this.#buffer = Buffer.alloc(length);
    const buffer = isKept ? this.#buffer : Buffer.allocUnsafeSlow(length);
    try {
      return buffer.subarray(0, readFully(this.#open(slot, path), buffer, length, at));
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      throw isMissing ? new DamagedValueError(key, `${basename(path)} is missing`) : readError(error);
    }
  }

  #open(slot: number, path: string): number {
    const file = this.#files.get(slot) ?? openSync(path, "r");
    this.#files.delete(slot);
    this.#files.set(slot, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > this.#maxFiles && oldest !== undefined) this.#closeFile(oldest);
    return file;
  }

  /** Reads a whole segment, even if its file was removed after it was opened. */
  readFile(segment: Segment): Buffer {
    const file = this.#open(this.#slot(segment), segment.path);
    const bytes = Buffer.allocUnsafeSlow(fstatSync(file).size);
    return bytes.subarray(0, readFully(file, bytes, bytes.length, 0));
  }

  /** Opens the files, so that they can be read after a server removed them. Returns false if one is missing. */
  openAll(): boolean {
    let isWhole = true;
    for (const [{ path }, slot] of this.#slotOf) {
      if (existsSync(path)) this.#open(slot, path);
      else isWhole = false;
    }
    return isWhole;
  }

  #closeFile(slot: number): void {
    const file = this.#files.get(slot);
    this.#files.delete(slot);
    if (file !== undefined) closeSync(file);
  }
}

/** Reads up to `length` bytes. Returns how many the file has there. */
function readFully(file: number, buffer: Buffer, length: number, at: number): number {
  let read = 0;
  while (read < length) {
    const count = readSync(file, buffer, read, length - read, at + read);
    if (count === 0) break;
    read += count;
  }
  return read;
}

function fail(error: DamagedValueError): never {
  throw error;
}
