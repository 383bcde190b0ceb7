import { link, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type Change, type Entry, TABLES, type Table } from "./changes.js";
import { unusableFolderError } from "./errors.js";
import { COPY_FOLDER, DAMAGED_SUFFIX, MANIFEST_FILE, readSegmentNumber } from "./file-names.js";
import { inspectFileSystem, syncPath } from "./file-system.js";
import { Log } from "./log/log.js";
import { newManifest, readManifest, writeManifest } from "./log/manifest.js";
import { openLog } from "./log/open-log.js";
import { SegmentSet, type StorageSize } from "./log/segment-set.js";
import type { StorageReader } from "./storage-reader.js";

export interface CompactOptions {
  /** Returns false for entries that the copy leaves out. Default: copies all entries that can be read. */
  readonly isKept?: (table: Table, key: Buffer) => boolean;
  /** True: the original files get other names. False: they are removed, so they must be intact. */
  readonly keepOriginal: boolean;
}

export interface Compaction {
  readonly before: StorageSize;
  readonly after: StorageSize;
  /** Names of the original files, if they were kept. */
  readonly originals: readonly string[];
}

/** The number of entries of each table, and a checksum of them. */
type TableDigests = ReadonlyMap<Table, string>;

/** Free space that a copy needs in addition to the size of the values. */
const SPARE_BYTES = 2 ** 22;
/** A record of the copy is complete once its values have this many bytes. */
const RECORD_BYTES = 2 ** 22;
const MAX_FILES = 16;

/**
 * Replaces the log of a folder with a copy that has only the newest values. The original files do not change until the copy is on disk and
 * was read back.
 *
 * @param storage opened with {@link StorageReader.openForChange}
 * @throws StorageError `storage_unusable` if the copy cannot be written, for example because the disk has too little space
 */
export async function compactStorage(
  storage: StorageReader,
  { isKept = () => true, keepOriginal }: CompactOptions,
): Promise<Compaction> {
  const { directory } = storage;
  const before = storage.readSize();
  const copy = join(directory, COPY_FOLDER);
  try {
    await requireRoom(directory, before);
    await rm(copy, { recursive: true, force: true });
    await mkdir(copy, { mode: 0o700 });
    const digests = await writeCopy(copy, storage, isKept);
    const after = checkCopy(copy, digests);
    const originals = keepOriginal ? await keepFiles(directory, storage.listFiles()) : [];
    await replaceFiles(storage, copy);
    return { before, after, originals };
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw unusableFolderError(directory, `cannot be compacted: ${reason}. Its sessions were not changed`, error);
  }
}

async function requireRoom(directory: string, { usedBytes }: StorageSize): Promise<void> {
  const { freeBytes } = await inspectFileSystem(directory);
  const needed = usedBytes + SPARE_BYTES;
  if (freeBytes < needed) throw new Error(`the copy needs ${needed} bytes, but ${freeBytes} are free`);
}

/** Writes all entries that can be read and are kept to a new log. Its segment numbers continue those of the old log. */
async function writeCopy(
  copy: string,
  storage: StorageReader,
  isKept: (table: Table, key: Buffer) => boolean,
): Promise<TableDigests> {
  const last = storage.lastSegment;
  const manifest = { ...newManifest(), first: last + 1, last };
  const set = new SegmentSet(MAX_FILES);
  const nothing = { unlisted: [], unconfirmed: undefined, damage: [], leftovers: [] };
  const recovered = { records: 0, bytes: 0, incomplete: 0 };
  // Synced: each record is on disk before the next one is written.
  const log = new Log(copy, { manifest, set, recovered, ...nothing }, true);
  const digests = new Map<Table, string>();
  let changes: Change[] = [];
  let bytes = 0;
  const write = async () => {
    await log.append(changes);
    changes = [];
    bytes = 0;
  };
  try {
    for (const table of TABLES) {
      const digest = new EntryDigest();
      for (const entry of storage.scan(table, () => undefined)) {
        if (!isKept(table, entry.key)) continue;
        digest.add(entry);
        changes.push({ table, ...entry });
        bytes += entry.value.length;
        if (bytes >= RECORD_BYTES) await write();
      }
      digests.set(table, digest.toString());
    }
    await write();
  } finally {
    await log.close();
    set.close();
  }
  return digests;
}

/** @throws Error if the copy is damaged or differs from what was written */
function checkCopy(copy: string, digests: TableDigests): StorageSize {
  const { set, damage } = openLog(copy, { maxFiles: MAX_FILES });
  try {
    const different = TABLES.filter((table) => {
      const digest = new EntryDigest();
      for (const entry of set.range(table)) digest.add(entry);
      return digest.toString() !== digests.get(table);
    });
    const [reason = different.length > 0 ? `table ${different.join(", ")}` : undefined] = damage;
    if (reason !== undefined) throw new Error(`the copy differs from what was written (${reason}). Check the disk`);
    return set.readSize();
  } finally {
    set.close();
  }
}

/** Replaces the old files with those of the copy. A start ignores the copied files until the new manifest is written. */
async function replaceFiles(storage: StorageReader, copy: string): Promise<void> {
  const { directory } = storage;
  const old = storage.listFiles();
  for (const name of await readdir(copy)) {
    if (readSegmentNumber(name) !== undefined) await rename(join(copy, name), join(directory, name));
  }
  await syncPath(directory);
  await writeManifest(directory, readManifest(copy), true);
  for (const name of old) await rm(join(directory, name), { force: true });
  await rm(copy, { recursive: true, force: true });
  await syncPath(directory);
}

/** Gives each file a second name that is not in use. Returns the names. */
async function keepFiles(directory: string, files: readonly string[]): Promise<string[]> {
  for (let n = 1; ; n++) {
    const suffix = `${DAMAGED_SUFFIX}${n === 1 ? "" : `-${n}`}`;
    const names = await readdir(directory);
    if (names.some((name) => name.endsWith(suffix))) continue;
    const kept = [...files, ...names.filter((name) => name === MANIFEST_FILE)];
    for (const file of kept) await link(join(directory, file), join(directory, file + suffix));
    return kept.map((file) => file + suffix);
  }
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
