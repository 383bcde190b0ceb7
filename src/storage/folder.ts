import { type Dirent, existsSync, readdirSync } from "node:fs";
import { chmod, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { native } from "../native/addon.js";
import type { NativeFileLock } from "../native/contract.js";
import { makeFolder } from "../support/make-folder.js";
import { unusableFolderError } from "./errors.js";
import { isOwnFile, LOCK_FILE } from "./file-names.js";
import { inspectFileSystem, isReadOnly } from "./file-system.js";

const DEVICES = "/dev";

/** A lock on a folder. If its process dies, the operating system releases it. */
export interface FolderLock {
  release(): void;
}

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

/**
 * Refuses a folder in which one of the storage's files is not a regular file. Through a link, a server would write to another file. At a
 * named pipe, it would wait for ever.
 *
 * @throws StorageError `storage_unusable`
 */
export function refuseSpecialFiles(directory: string): void {
  const entries = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
  const special = entries.find((entry) => !entry.isFile() && isOwnFile(entry.name));
  if (!special) return;
  const advice = "Every file of a storage must be a regular file. Remove it, or use another folder";
  throw unusableFolderError(directory, `has a ${special.name} that is ${describeKind(special)}. ${advice}`);
}

function describeKind(entry: Dirent): string {
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isFIFO()) return "a named pipe";
  return entry.isDirectory() ? "a folder" : "a device or a socket";
}

/** Locks the folder for this server. */
export function lockFolder(directory: string): FolderLock {
  refuseReadOnly(directory, "Use another folder");
  return lockOr(directory, "Use another folder: each server needs its own");
}

/** Locks the folder for a command that replaces its files. */
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

/**
 * Refuses a folder that cannot hold a storage because it is on a network file system or a virtual one, such as /proc. The folder
 * need not exist.
 *
 * @throws StorageError `storage_unusable`
 */
async function refuseUnfitPlace(directory: string): Promise<void> {
  const existing = await findExisting(resolve(directory));
  const { network, virtual } = await inspectFileSystem(existing);
  if (network !== undefined) {
    const reason =
      `is on a network file system (${network}). A storage needs writes that are on disk once they are confirmed, and ` +
      "locks, which do not work reliably there. Use a local disk";
    throw unusableFolderError(directory, reason);
  }
  if (virtual === undefined && !(await isOfDevices(existing))) return;
  const what = virtual ?? DEVICES;
  throw unusableFolderError(directory, `is on a file system without a disk (${what}). Use a folder on a local disk`);
}

/** Returns the folder itself if it exists, or the closest one above that does. */
async function findExisting(path: string): Promise<string> {
  const parent = dirname(path);
  if (path === parent) return path;
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists ? path : findExisting(parent);
}

/**
 * Returns true if the path is on the file system of /dev itself, whose `f_type` may be that of tmpfs. Returns false for file systems
 * that are mounted below /dev, such as /dev/shm.
 */
async function isOfDevices(path: string): Promise<boolean> {
  const [folder, devices, root] = await Promise.all([path, DEVICES, "/"].map(readDevice));
  return folder === devices && devices !== root;
}

async function readDevice(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.dev;
}
