import { CodedError } from "../support/coded-error.js";
import { DATA_FILE } from "./file-names.js";

/**
 * - `storage_failed`: the disk refuses writes or reads, for example because it is full. Writes are tried again.
 * - `storage_unusable`: the folder cannot be opened.
 */
export type StorageErrorCode = "storage_failed" | "storage_unusable";

/** Why the storage folder cannot be used. */
export class StorageError extends CodedError<StorageErrorCode> {
  override readonly name = "StorageError";
}

/**
 * Returns the error for a folder whose file is damaged.
 *
 * @param reason without a full stop, for example `page 3 is damaged: it has no nodes`
 */
export function damagedFolderError(directory: string, reason: string, cause?: unknown): StorageError {
  const advice =
    "`rolltape storage verify` lists what is lost, `rolltape export --storage` exports the rest, and " +
    "`rolltape storage compact --leave-out-damaged` keeps the rest in this folder for the next server";
  return unusableFolderError(directory, `has a damaged file ${DATA_FILE}: ${reason}. ${advice}`, cause);
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
