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
