import { type LogState } from "./log-state.js";
/**
 * Applies what a crash left in the log of a locked folder, and returns the state from which a new log begins. The log files can be
 * overwritten afterwards.
 *
 * @param needsLog false: removes the log files, and returns undefined
 * @throws StorageError `storage_unusable` if the log is damaged
 */
export declare function recoverLog(directory: string, needsLog: boolean): Promise<LogState | undefined>;
/** Removes the log files of a folder. Their changes must be in the data file. */
export declare function removeLog(directory: string): void;
