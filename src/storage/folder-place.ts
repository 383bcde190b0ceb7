import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { unusableFolderError } from "./errors.js";
import { inspectFileSystem } from "./file-system.js";

const DEVICES = "/dev";

/**
 * Refuses a folder that cannot hold a storage because it is on a network file system or a virtual one, such as /proc. The folder
 * need not exist.
 *
 * @throws StorageError `storage_unusable`
 */
export async function refuseUnfitPlace(directory: string): Promise<void> {
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
