import { LRUCache } from "lru-cache";
import { ArchiveError } from "./errors.js";
import type { ObjectStore } from "./object-store.js";

/** Size of the blocks in which small reads are made, and the number of them that are kept. */
const BLOCK_BYTES = 1 << 18;
const KEPT_BLOCKS = 64;

/** An object that is read in ranges, like an open file. Small reads that are close together share a request. */
export class StoredFile {
  readonly size: number;
  readonly #store: ObjectStore;
  readonly #name: string;
  readonly #blocks = new LRUCache<number, Promise<Uint8Array>>({ max: KEPT_BLOCKS });

  private constructor(store: ObjectStore, name: string, size: number) {
    this.#store = store;
    this.#name = name;
    this.size = size;
  }

  /** @throws ArchiveError `archive_failed` if there is no such object */
  static async open(store: ObjectStore, name: string): Promise<StoredFile> {
    const found = await store.head(name);
    if (found) return new StoredFile(store, name, found.bytes);
    throw new ArchiveError("archive_failed", `${store.address(name)} does not exist.`);
  }

  /** Reads up to `length` bytes, like the method of a file handle. */
  async read(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }> {
    const part = await this.#readPart(position, Math.min(length, this.size - position));
    bytes.set(part, offset);
    return { bytesRead: part.length };
  }

  close(): Promise<void> {
    this.#store.close();
    return Promise.resolve();
  }

  async #readPart(position: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return new Uint8Array();
    if (length >= BLOCK_BYTES) return this.#store.readRange(this.#name, position, length);
    const block = Math.floor(position / BLOCK_BYTES);
    const within = position - block * BLOCK_BYTES;
    return (await this.#readBlock(block)).subarray(within, within + length);
  }

  #readBlock(block: number): Promise<Uint8Array> {
    const known = this.#blocks.get(block);
    if (known) return known;
    const reading = this.#store.readRange(this.#name, block * BLOCK_BYTES, BLOCK_BYTES);
    this.#blocks.set(block, reading);
    reading.catch(() => this.#blocks.delete(block));
    return reading;
  }
}
