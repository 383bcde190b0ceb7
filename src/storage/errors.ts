import { CodedError } from "../support/coded-error.js";

/**
 * - `storage_failed`: the disk refuses writes or reads, for example because it is full. Writes are tried again.
 * - `storage_unusable`: the folder cannot be opened.
 */
export type StorageErrorCode = "storage_failed" | "storage_unusable";

/** Why the storage folder cannot be used. */
export class StorageError extends CodedError<StorageErrorCode> {
  override readonly name = "StorageError";
}

/** Returns the error for a write that the disk refused. */
export function writeError(cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StorageError("storage_failed", `The server cannot write to its storage: ${reason}.`, { cause });
}

/** Returns the error for a read that the disk refused. */
export function readError(cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StorageError("storage_failed", `The server cannot read its storage: ${reason}.`, { cause });
}

/**
 * Returns the error for a folder with damage.
 *
 * @param damage without a full stop, for example `segment-00000003.log is damaged at byte 4096`
 */
export function damagedFolderError(directory: string, damage: string, cause?: unknown): StorageError {
  const advice =
    "`rolltape storage verify` lists what is lost, `rolltape export --storage` exports the rest, and " +
    "`rolltape storage compact --leave-out-damaged` keeps the rest in this folder for the next server";
  return unusableFolderError(directory, `is damaged: ${damage}. ${advice}`, cause);
}

/**
 * Returns the error for a folder that cannot be used.
 *
 * @param reason the rest of the sentence that begins with the folder, without its full stop
 */
export function unusableFolderError(directory: string, reason: string, cause?: unknown): StorageError {
  return new StorageError("storage_unusable", `storage.directory ${directory} ${reason}.`, {
    param: "storage.directory",
    cause,
  });
}
