import { LRUCache } from "lru-cache";
import type { FileAccess, OpenFile } from "../../support/file-access.js";
import { ArchiveError } from "./errors.js";
import { ObjectStore } from "./object-store.js";

/** Size of the blocks in which small reads are made, and the number of them that are kept. */
const BLOCK_BYTES = 1 << 18;
const KEPT_BLOCKS = 64;

/** An object that is read in ranges, like an open file. Small reads that are close together share a request. */
export class StoredFile implements OpenFile {
  readonly size: number;
  readonly #store: ObjectStore;
  readonly #name: string;
  readonly #blocks = new LRUCache<number, Promise<Uint8Array>>({ max: KEPT_BLOCKS });

  constructor(store: ObjectStore, name: string, size: number) {
    this.#store = store;
    this.#name = name;
    this.size = size;
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

  /** Has no inode and no time, because the file stays as it was when it was opened. */
  stat(): Promise<{ readonly size: number; readonly ino: number; readonly mtimeMs: number }> {
    return Promise.resolve({ size: this.size, ino: 0, mtimeMs: 0 });
  }

  /** Does nothing: idle connections keep no process from ending. */
  close(): Promise<void> {
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

/** The objects of a bucket by their addresses, with the sizes that they had at first. */
export class StoredFiles implements FileAccess {
  readonly #store: ObjectStore;
  /** Undefined for an object that does not exist. */
  readonly #sizes = new Map<string, Promise<number | undefined>>();

  private constructor(store: ObjectStore) {
    this.#store = store;
  }

  /**
   * @param address of any object of the bucket
   * @throws ArchiveError `invalid_address` or `package_missing`
   */
  static async open(address: string): Promise<StoredFiles> {
    return new StoredFiles(await ObjectStore.open(/^s3:\/\/[^/]*/.exec(address)?.[0] ?? address));
  }

  /** @throws ArchiveError `archive_failed` if there is no such object */
  async open(address: string): Promise<StoredFile> {
    const name = this.#nameOf(address);
    const size = await this.#readSize(name);
    if (size !== undefined) return new StoredFile(this.#store, name, size);
    throw new ArchiveError("archive_failed", `${address} does not exist.`);
  }

  async find(folder: string, name: string): Promise<string | undefined> {
    const address = `${folder}/${name}`;
    const size = await this.#readSize(this.#nameOf(address)).catch(() => undefined);
    return size === undefined ? undefined : address;
  }

  #nameOf(address: string): string {
    return address.slice(this.#store.address().length);
  }

  #readSize(name: string): Promise<number | undefined> {
    const known = this.#sizes.get(name);
    if (known) return known;
    const reading = this.#store.head(name).then((found) => found?.bytes);
    this.#sizes.set(name, reading);
    reading.catch(() => this.#sizes.delete(name));
    return reading;
  }
}
