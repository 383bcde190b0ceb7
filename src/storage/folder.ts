import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { chmod, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { native } from "../native/addon.js";
import type { NativeFileLock } from "../native/contract.js";
import { makeFolder } from "../support/make-folder.js";
import { unusableFolderError } from "./errors.js";
import { COPY_FILE, DATA_FILE, LOG_FILES } from "./file-names.js";
import { isReadOnly } from "./file-system.js";
import { refuseUnfitPlace } from "./folder-place.js";

/** A lock on a folder. If its process dies, the operating system releases it. */
export interface FolderLock {
  release(): void;
}

const LOCK_FILE = "rolltape.lock";

/**
 * Creates the folder if it is missing, readable by its owner only, and returns its path.
 *
 * @throws StorageError `storage_unusable` if it cannot be created, or {@link refuseUnfitPlace} refuses its place
 */
export async function prepareFolder(directory: string): Promise<string> {
  await refuseUnfitPlace(directory);
  try {
    const isNew = !existsSync(directory);
    await makeFolder(directory);
    if (isNew) await chmod(directory, 0o700);
  } catch (error) {
    const isFile = (error as NodeJS.ErrnoException).code === "EEXIST";
    const reason = isFile ? "is a file. Choose a folder" : `cannot be created: ${(error as Error).message}`;
    throw unusableFolderError(directory, reason, error);
  }
  return directory;
}

/** Prefixes of the names of a storage's files. */
const OWN_NAMES = ["data.", "rolltape."];

/**
 * Refuses a folder in which one of the storage's files is not a regular file. Through a link, a server would write to another file. At a
 * named pipe, it would wait for ever.
 *
 * @throws StorageError `storage_unusable`
 */
export function refuseSpecialFiles(directory: string): void {
  const entries = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
  const special = entries.find((entry) => !entry.isFile() && OWN_NAMES.some((start) => entry.name.startsWith(start)));
  if (!special) return;
  const advice = "Every file of a storage must be a regular file. Remove it, or use another folder";
  throw unusableFolderError(directory, `has a ${special.name} that is ${describeKind(special)}. ${advice}`);
}

function describeKind(entry: Dirent): string {
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isFIFO()) return "a named pipe";
  return entry.isDirectory() ? "a folder" : "a device or a socket";
}

/**
 * Refuses a folder that has a log, but no data file or an empty one: a server would begin with an empty data file. A log is created only
 * once the data file is on disk.
 *
 * @throws StorageError `storage_unusable`
 */
export function refuseLostDataFile(directory: string): void {
  const size = statSync(join(directory, DATA_FILE), { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  const logs = LOG_FILES.filter((name) => existsSync(join(directory, name)));
  if (logs.length === 0) return;
  const problem = `${size === undefined ? "has no" : "has an empty"} file ${DATA_FILE}, but has the log ${logs.join(", ")}`;
  const advice = `Restore ${[DATA_FILE, ...LOG_FILES].join(", ")} together from a backup`;
  throw unusableFolderError(directory, `${problem}. ${advice}, or use another folder`);
}

/** Locks the folder for this server. */
export function lockFolder(directory: string): FolderLock {
  refuseReadOnly(directory, "Use another folder");
  return lockOr(directory, "Use another folder: each server needs its own");
}

/**
 * Locks the folder for a command, so that no server opens it meanwhile. Creates no lock file if the folder has none, for example because
 * it is a copy. On a read-only mount, a server can still have the folder open through another mount, so the lock is needed there too.
 *
 * @returns undefined if there is no lock file
 */
export function lockForCommand(directory: string): FolderLock | undefined {
  return existsSync(join(directory, LOCK_FILE)) ? lockOr(directory, "Stop the server first") : undefined;
}

/** Locks the folder for a command that replaces its file. */
export function lockForChange(directory: string): FolderLock {
  refuseReadOnly(directory, "Copy the folder, or mount the file system for writing");
  return lockOr(directory, "Stop the server first");
}

/** Returns true if a process has the folder open. */
export function isFolderOpen(directory: string): boolean {
  if (!existsSync(join(directory, LOCK_FILE))) return false;
  const lock = openLock(directory);
  const { held } = lock;
  lock.release();
  return !held;
}

/** Removes the copy that a compaction makes, with the lock file that LMDB creates beside it. */
export async function removeCopy(directory: string): Promise<void> {
  for (const name of [COPY_FILE, `${COPY_FILE}-lock`]) await rm(join(directory, name), { force: true });
}

/**
 * Locks the data file for this server, because several folders may have it as a hard link. Each folder has lock files of its own, so
 * without this lock, two servers would overwrite each other's pages.
 */
export async function lockDataFile(directory: string, path: string): Promise<FolderLock> {
  const lock = new native.FileLock(await realpath(path));
  if (lock.held) return lock;
  throw unusableFolderError(
    directory,
    "has a data.mdb that is a link to the file of another folder, which a process has open. Every server needs a file of its own",
  );
}

function refuseReadOnly(directory: string, advice: string): void {
  if (isReadOnly(directory)) throw unusableFolderError(directory, `is on a read-only file system. ${advice}`);
}

function lockOr(directory: string, advice: string): FolderLock {
  const lock = openLock(directory);
  if (lock.held) return lock;
  throw unusableFolderError(directory, `is open in another process. ${advice}`);
}

function openLock(directory: string): NativeFileLock {
  try {
    return new native.FileLock(join(directory, LOCK_FILE));
  } catch (error) {
    // The message of the addon begins with the name of its parameter.
    const why = (error as Error).message.split(": ").at(-1);
    const advice = "Run the command as a user who can write to the folder";
    throw unusableFolderError(directory, `cannot be used: its ${LOCK_FILE} cannot be opened: ${why}. ${advice}`, error);
  }
}
