import { CodedError } from "../support/coded-error.js";
import { DATA_FILE } from "./file-names.js";
/** Why the storage folder cannot be used. */
export class StorageError extends CodedError {
    name = "StorageError";
}
/** Returns the error for a write that the disk refused. */
export function writeError(cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StorageError("storage_failed", `The server cannot write to its storage: ${reason}.`, { cause });
}
/**
 * Returns the error for a folder whose data file is damaged.
 *
 * @param reason without a full stop, for example `page 3 is damaged: it has no nodes`
 */
export function damagedFolderError(directory, reason, cause) {
    return damagedError(directory, `file ${DATA_FILE}: ${reason}`, cause);
}
/**
 * Returns the error for a folder whose log is damaged.
 *
 * @param reason without a full stop, for example `data.log-0 is damaged at byte 4096`
 */
export function damagedLogError(directory, reason, cause) {
    return damagedError(directory, `write-ahead log: ${reason}`, cause);
}
function damagedError(directory, damage, cause) {
    const advice = "`rolltape storage verify` lists what is lost, `rolltape export --storage` exports the rest, and " +
        "`rolltape storage compact --leave-out-damaged` keeps the rest in this folder for the next server";
    return unusableFolderError(directory, `has a damaged ${damage}. ${advice}`, cause);
}
/**
 * Returns the error for a folder that cannot be used.
 *
 * @param reason the rest of the sentence that begins with the folder, without its full stop
 */
export function unusableFolderError(directory, reason, cause) {
    return new StorageError("storage_unusable", `storage.directory ${directory} ${reason}.`, {
        param: "storage.directory",
        cause,
    });
}
//# sourceMappingURL=errors.js.map