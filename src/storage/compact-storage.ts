import { chmod, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { TABLES } from "./changes.js";
import { prepareDataFile } from "./data-file.js";
import { LmdbFile } from "./database.js";
import { unusableFolderError } from "./errors.js";
import { inspectFileSystem } from "./file-system.js";
import { lockFolder } from "./folder.js";
import { type Damage, OfflineStorage } from "./offline-storage.js";
import { DATA_FILE, type StorageSize } from "./storage.js";

export interface Compaction {
  readonly before: StorageSize;
  readonly after: StorageSize;
}

/** Name of the copy until it replaces the file. Compaction first removes a copy that an earlier one left. */
const COPY = "data.mdb.compact";
/** Space for the pages that a copy has in addition to those with data. */
const SPARE_BYTES = 2 ** 20;

/**
 * Replaces the file of a folder with a copy without unused pages. The file stays as it is until the copy is complete and on disk.
 *
 * @throws StorageError `storage_unusable` if a process has the folder open, the file is damaged, or the disk has too little space
 */
export async function compactStorage(directory: string): Promise<Compaction> {
  const before = readIntact(directory).size;
  const lock = lockFolder(directory);
  try {
    const { freeBytes } = await inspectFileSystem(directory);
    const needed = before.usedBytes + SPARE_BYTES;
    if (freeBytes < needed) {
      throw unusableFolderError(
        directory,
        `cannot be compacted: the copy needs ${needed} bytes, but ${freeBytes} are free`,
      );
    }
    const [path, copy] = [join(directory, DATA_FILE), join(directory, COPY)];
    await rm(copy, { force: true });
    try {
      await writeCopy(path, copy);
      await rename(copy, path);
    } catch (error) {
      await rm(copy, { force: true });
      throw error;
    }
    await sync(directory);
  } finally {
    lock.release();
  }
  return { before, after: readIntact(directory).size };
}

async function writeCopy(path: string, copy: string): Promise<void> {
  await prepareDataFile(path);
  const file = new LmdbFile({ path, sync: true, readOnly: true });
  try {
    await file.copyCompacted(copy);
  } finally {
    await file.close();
  }
  const { mode } = await stat(path);
  await chmod(copy, mode);
  await sync(copy);
}

/** Reads every page, because LMDB would end the process at a damaged one. */
function readIntact(directory: string): { readonly size: StorageSize } {
  using storage = OfflineStorage.open(directory);
  const refuse = (reason: string) => {
    const advice = "`rolltape storage verify` lists what is lost, `rolltape export --storage` exports the rest";
    throw unusableFolderError(directory, `is damaged: ${reason}. ${advice}`);
  };
  const onDamage = ({ reason }: Damage) => refuse(reason);
  storage.checkStructure(onDamage);
  for (const table of TABLES) for (const _ of storage.scan(table, onDamage));
  const reason = storage.findDamage();
  if (reason !== undefined) refuse(reason);
  return { size: storage.readSize() };
}

/** Waits until a file, or the names in a folder, are on disk. */
async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
