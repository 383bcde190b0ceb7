import { rmSync } from "node:fs";
import { open, rename, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { permissions } from "../../support/private-files.js";
import { formatBytes } from "../format-bytes.js";
import { unreadable } from "../preflight/usable-folder.js";

/** The operations on an open file that writing a batch needs. */
interface OpenFile {
  writeFile(data: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system operations that writing a batch needs. Tests replace them. */
export interface BatchFileSystem {
  statfs(path: string): Promise<{ readonly blocks: number; readonly bavail: number; readonly bsize: number }>;
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string): Promise<void>;
}

export const DISK: BatchFileSystem = { statfs, open, rename, rm: (path) => rm(path, { force: true }) };

/**
 * A batch could not be written. No partial file is left. An earlier file of that name is unchanged, unless the rename
 * succeeded and only the sync of the folder failed.
 */
export class BatchWriteError extends Error {
  override readonly name = "BatchWriteError";
  readonly file: string;
  /** Why it could not be written, without the file's name. */
  readonly reason: string;

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file} cannot be written: ${reason}`, options);
    this.file = file;
    this.reason = reason;
  }
}

/**
 * Writes a batch to a partial file beside `file`, syncs it to the disk, and renames it. When this resolves, the file is
 * complete and survives a power failure.
 *
 * @throws BatchWriteError if there is too little space, or a step fails
 */
export async function writeBatchFile(file: string, batch: Uint8Array, disk: BatchFileSystem = DISK): Promise<void> {
  const partial = partialPathOf(file);
  // A second Ctrl-C may end the process during the write.
  const removeAtExit = () => rmSync(partial, { force: true });
  process.once("exit", removeAtExit);
  try {
    await requireBatchSpace(file, batch.byteLength, disk);
    await writeSynced(partial, batch, disk);
    await disk.rename(partial, file);
    await syncFolder(dirname(file), disk);
  } catch (error) {
    await disk.rm(partial).catch(() => undefined);
    throw error instanceof BatchWriteError ? error : new BatchWriteError(file, describeReason(error), { cause: error });
  } finally {
    process.off("exit", removeAtExit);
  }
}

/** @throws BatchWriteError if the file system has less space than that */
export async function requireBatchSpace(
  file: string,
  needed: number,
  disk: Pick<BatchFileSystem, "statfs">,
): Promise<void> {
  const folder = dirname(file);
  const { blocks, bavail, bsize } = await disk.statfs(folder);
  const free = bavail * bsize;
  // File systems that do not know their size report 0 blocks.
  if (blocks === 0 || free >= needed) return;
  const reason = `it needs ${formatBytes(needed)}, but ${folder} has ${formatBytes(free)} free`;
  throw new BatchWriteError(file, reason);
}

/** Returns the path at which a file is written before it is renamed. */
export const partialPathOf = (file: string): string => `${file}.partial-${process.pid}`;

async function writeSynced(path: string, batch: Uint8Array, disk: BatchFileSystem): Promise<void> {
  const file = await disk.open(path, "w", permissions.file);
  try {
    await file.writeFile(batch);
    // Some file systems report a full disk or a quota only here.
    await file.sync();
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
  await file.close();
}

/** Syncs the folder, which is where a rename is stored. */
export async function syncFolder(path: string, disk: Pick<BatchFileSystem, "open">): Promise<void> {
  const folder = await disk.open(path, "r").catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    await folder.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(readCode(error))) throw error;
  } finally {
    await folder.close();
  }
}

/** Error codes of file systems that cannot sync a folder. */
const NO_FOLDER_SYNC: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EBADF", "EISDIR"]);

export function describeReason(error: unknown): string {
  if (readCode(error) === "ENOSPC") return "the disk is full (ENOSPC)";
  if (readCode(error) === "EDQUOT") return "the disk quota is used up (EDQUOT)";
  return error instanceof Error ? error.message : String(error);
}

function readCode(error: unknown): string {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}
