import { existsSync } from "node:fs";
import { chmod, link, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "./changes.js";
import { forgetCommitState } from "./commit-state.js";
import { checkCopy, writeCopy } from "./copy-entries.js";
import { unusableFolderError } from "./errors.js";
import { COPY_FILE, DATA_FILE, LOG_FILES } from "./file-names.js";
import { inspectFileSystem, syncPath } from "./file-system.js";
import { removeCopy } from "./folder.js";
import { removeLog } from "./log/recover-log.js";
import type { OfflineStorage } from "./offline-storage.js";
import type { StorageSize } from "./storage-size.js";

export interface CompactOptions {
  /** Returns false for entries that the copy leaves out. Default: it has all that can be read. */
  readonly isKept?: (table: Table, key: Buffer) => boolean;
  /** True: the original gets another name. False: it is removed, so it must be intact. */
  readonly keepOriginal: boolean;
}

export interface Compaction {
  readonly before: StorageSize;
  readonly after: StorageSize;
  /** Name of the original, if it was kept. */
  readonly original: string | undefined;
  /** Names of the log files, if they were kept because the log was damaged. */
  readonly keptLog: readonly string[];
}

/** Space for the pages that a copy has in addition to those with data. */
const SPARE_BYTES = 2 ** 20;

/**
 * Replaces the file of a folder with a copy that has its entries and no unused pages. The file stays as it is until the copy is on disk
 * and was read back. Never passes the file to LMDB, which would end the process at a damaged page.
 *
 * @param storage opened with {@link OfflineStorage.openForChange}
 * @throws StorageError `storage_unusable` if the copy cannot be written, for example because the disk has too little space
 */
export async function compactStorage(
  storage: OfflineStorage,
  { isKept = () => true, keepOriginal }: CompactOptions,
): Promise<Compaction> {
  const { directory } = storage;
  const before = storage.readSize();
  await requireSpace(directory, before);
  const [path, copy] = [join(directory, DATA_FILE), join(directory, COPY_FILE)];
  try {
    await removeCopy(directory);
    const digests = await writeCopy(copy, storage, isKept);
    await chmod(copy, (await stat(path)).mode);
    syncPath(copy);
    const after = checkCopy(directory, COPY_FILE, digests);
    const original = keepOriginal ? await linkOriginal(directory, DATA_FILE) : undefined;
    await rename(copy, path);
    forgetCommitState(path);
    await removeCopy(directory);
    syncPath(directory);
    // The copy has the changes of the log.
    const isLogDamaged = storage.log?.damage !== undefined;
    const keptLog = isLogDamaged ? await linkLog(directory) : [];
    if (storage.log) removeLog(directory);
    return { before, after, original, keptLog };
  } catch (error) {
    await removeCopy(directory);
    const reason = error instanceof Error ? error.message : String(error);
    throw unusableFolderError(
      directory,
      `cannot be compacted: ${reason}. Its file ${DATA_FILE} was not changed`,
      error,
    );
  }
}

async function requireSpace(directory: string, { usedBytes }: StorageSize): Promise<void> {
  const { freeBytes } = await inspectFileSystem(directory);
  const needed = usedBytes + SPARE_BYTES;
  if (freeBytes >= needed) return;
  throw unusableFolderError(
    directory,
    `cannot be compacted: the copy needs ${needed} bytes, but ${freeBytes} are free`,
  );
}

async function linkLog(directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of LOG_FILES) {
    if (existsSync(join(directory, name))) names.push(await linkOriginal(directory, name));
  }
  return names;
}

/** Gives a file a second name that no file has. Returns the name. */
async function linkOriginal(directory: string, file: string): Promise<string> {
  for (let n = 1; ; n++) {
    const name = `${file}.damaged${n === 1 ? "" : `-${n}`}`;
    try {
      await link(join(directory, file), join(directory, name));
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
