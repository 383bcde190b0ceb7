import { CodedError } from "../support/coded-error.js";
/**
 * - `storage_failed`: the disk refuses writes or reads, for example because it is full. Writes are tried again.
 * - `storage_unusable`: the folder cannot be opened.
 */
export type StorageErrorCode = "storage_failed" | "storage_unusable";
/** Why the storage folder cannot be used. */
export declare class StorageError extends CodedError<StorageErrorCode> {
    readonly name = "StorageError";
}
/** Returns the error for a write that the disk refused. */
export declare function writeError(cause: unknown): StorageError;
/**
 * Returns the error for a folder whose data file is damaged.
 *
 * @param reason without a full stop, for example `page 3 is damaged: it has no nodes`
 */
export declare function damagedFolderError(directory: string, reason: string, cause?: unknown): StorageError;
/**
 * Returns the error for a folder whose log is damaged.
 *
 * @param reason without a full stop, for example `data.log-0 is damaged at byte 4096`
 */
export declare function damagedLogError(directory: string, reason: string, cause?: unknown): StorageError;
/**
 * Returns the error for a folder that cannot be used.
 *
 * @param reason the rest of the sentence that begins with the folder, without its full stop
 */
export declare function unusableFolderError(directory: string, reason: string, cause?: unknown): StorageError;
