import { CodedError } from "../../support/coded-error.js";
/**
 * Why a command on a storage folder failed.
 *
 * - `invalid_arguments`: the options contradict each other or do not fit the sessions.
 * - `nothing_to_export`: no session of the folder has data that can be read.
 */
export type StorageCommandErrorCode = "invalid_arguments" | "nothing_to_export";
export declare class StorageCommandError extends CodedError<StorageCommandErrorCode> {
    readonly name = "StorageCommandError";
}
