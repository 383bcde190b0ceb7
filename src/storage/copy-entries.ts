import { crc32 } from "node:zlib";
import { type Entry, TABLES, type Table } from "./changes.js";
import { LmdbFile } from "./database.js";
import { OfflineStorage } from "./offline-storage.js";
import type { StorageSize } from "./storage-size.js";

/** The number of entries of each table, and a checksum of them. */
export type TableDigests = ReadonlyMap<Table, string>;

interface TableEntry extends Entry {
  readonly table: Table;
}

/** Bytes of one commit. LMDB keeps the pages of a commit in memory. */
const BATCH_BYTES = 2 ** 25;

/** Writes all entries that can be read and are kept to a new LMDB file. Returns the digests of what it wrote. */
export async function writeCopy(
  path: string,
  storage: OfflineStorage,
  isKept: (table: Table, key: Buffer) => boolean,
): Promise<TableDigests> {
  const digests = new Map<Table, string>();
  const file = new LmdbFile({ path, sync: false, readOnly: false });
  try {
    let batch: TableEntry[] = [];
    let bytes = 0;
    for (const table of TABLES) {
      const digest = new EntryDigest();
      for (const { key, value } of storage.scan(table, () => undefined)) {
        if (!isKept(table, key)) continue;
        digest.add({ key, value });
        batch.push({ table, key, value });
        bytes += value.length;
        if (bytes < BATCH_BYTES) continue;
        file.append(batch);
        batch = [];
        bytes = 0;
      }
      digests.set(table, digest.toString());
    }
    file.append(batch);
  } finally {
    await file.close();
  }
  return digests;
}

/**
 * Reads a copy back.
 *
 * @throws Error if it is damaged or differs from what was written
 */
export function checkCopy(directory: string, name: string, digests: TableDigests): StorageSize {
  using copy = OfflineStorage.openCopy(directory, name);
  const fail = (reason: string) => {
    throw new Error(`the copy differs from what was written (${reason}). Check the disk`);
  };
  const damage = copy.findDamage();
  if (damage !== undefined) fail(damage);
  for (const table of TABLES) {
    const digest = new EntryDigest();
    for (const entry of copy.scan(table, ({ reason }) => fail(reason))) digest.add(entry);
    if (digest.toString() !== digests.get(table)) fail(`table ${table}`);
  }
  return copy.readSize();
}

class EntryDigest {
  #count = 0;
  #checksum = 0;

  add({ key, value }: Entry): void {
    this.#count++;
    this.#checksum = crc32(value, crc32(key, this.#checksum));
  }

  toString(): string {
    return `${this.#count}:${this.#checksum}`;
  }
}
