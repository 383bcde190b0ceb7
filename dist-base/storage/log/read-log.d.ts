import type { LogRecord } from "./log-record.js";
import { type LogState, type LogStateReader } from "./log-state.js";
/** Records of one segment that are not in the data file. */
export interface UnappliedSegment {
    readonly epoch: number;
    readonly records: readonly LogRecord[];
}
/** The changes of a log that the data file does not have yet. */
export interface UnappliedLog {
    /** The state in the data file; undefined if the folder never had a log, or if the state is damaged. */
    readonly state: LogState | undefined;
    /** In the order in which they must be applied. If changes are missing, only those before them. */
    readonly segments: readonly UnappliedSegment[];
    /** Epoch of the last segment, also if its changes cannot be applied. If there is no segment, the epoch in the data file. */
    readonly newest: number;
    /** Why confirmed changes are missing; undefined if none is. */
    readonly damage: string | undefined;
}
/**
 * Reads the changes of a folder's log that are not in its data file.
 *
 * A record that was being written at a crash may be incomplete. It was never confirmed and does not count. Since a record is written
 * only once the one before it is on disk, a record that has a successor is complete: if it is not, the file is damaged.
 *
 * @param storage reads the data file
 */
export declare function readUnapplied(directory: string, storage: LogStateReader): UnappliedLog;
