import { type LogRecord } from "./log-record.js";
import type { LogState } from "./log-state.js";
/** The content of a file of the log, as the last process left it. */
export interface LogFile {
    readonly name: string;
    readonly exists: boolean;
    /** Epoch of its newest record; 0 if it has none. */
    readonly epoch: number;
    /** Records of the newest segment, up to the first one that is not complete. */
    readonly records: readonly LogRecord[];
    /** Where they end. */
    readonly end: number;
    /** True if a record that is not complete has a successor. */
    readonly isDamaged: boolean;
    /** True if its records are those of another log. */
    readonly isForeign: boolean;
}
/**
 * Reads a file of the log.
 *
 * @param state of the log in the data file; undefined if there is none
 */
export declare function readLogFile(directory: string, name: string, state: LogState | undefined): LogFile;
/** Reads the records of one segment at the start of a file, up to the first one that is not complete. */
export declare function readSegment(bytes: Buffer<ArrayBuffer>): LogRecord[];
