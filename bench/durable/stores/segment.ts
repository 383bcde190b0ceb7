import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Change } from "../../../src/storage/index.js";
import { packChanges, unpackChanges } from "../../../src/storage/packed-changes.js";
import type { Contender, Store } from "./store.js";

/**
 * An append-only file with one `fdatasync` for each group: length, checksum, packed changes. It is the least that a log needs. Space
 * of removed and replaced records does not come back, and the places of all records are in memory.
 */
export const segment: Contender = {
  name: "append-only file",
  open: async (directory) => {
    const store = new SegmentStore(await open(join(directory, "segment"), "a+"));
    await store.scan();
    return store;
  },
};

interface Place {
  readonly at: number;
  readonly length: number;
}

const HEADER_BYTES = 8;
const PREFIX_BYTES = 6;

class SegmentStore implements Store {
  readonly #file: FileHandle;
  readonly #places = new Map<string, Place[]>();
  #end = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const packed = packChanges(changes);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(packed.length);
    header.writeUInt32LE(crc32(packed), 4);
    await this.#file.writev([header, packed]);
    await this.#file.datasync();
    this.#note(changes, this.#end + HEADER_BYTES);
    this.#end += HEADER_BYTES + packed.length;
  }

  /** Reads the file from its start to find the places of all records. */
  async scan(): Promise<void> {
    const { size } = await this.#file.stat();
    const header = Buffer.alloc(HEADER_BYTES);
    while (this.#end < size) {
      await this.#file.read(header, 0, HEADER_BYTES, this.#end);
      const packed = new Uint8Array(header.readUInt32LE());
      await this.#file.read(packed, 0, packed.length, this.#end + HEADER_BYTES);
      if (crc32(packed) !== header.readUInt32LE(4)) throw new Error(`the group at ${this.#end} is damaged`);
      this.#note(unpackChanges(packed), this.#end + HEADER_BYTES);
      this.#end += HEADER_BYTES + packed.length;
    }
  }

  async readRecords(prefix: Uint8Array): Promise<number> {
    let bytes = 0;
    for (const { at, length } of this.#places.get(Buffer.from(prefix).toString("latin1")) ?? []) {
      const { bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, at);
      bytes += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Notes where the records of a group are. In {@link packChanges}, a header of 7 bytes and the key come before a value. */
  #note(changes: Iterable<Change>, start: number): void {
    let at = start;
    for (const { table, key, value } of changes) {
      at += 7 + key.length;
      const length = value?.length ?? 0;
      if (table === "records") this.#add(key, { at, length });
      at += length;
    }
  }

  #add(key: Uint8Array, place: Place): void {
    const prefix = Buffer.from(key).toString("latin1", 0, PREFIX_BYTES);
    const places = this.#places.get(prefix);
    if (places) places.push(place);
    else this.#places.set(prefix, [place]);
  }
}
