import type { Change } from "../changes.js";
import { type StorageError } from "../errors.js";
import type { LogState } from "./log-state.js";
/** A segment to apply: all its changes and the new state of the log must become one commit of the data file. */
export interface SegmentToApply {
    readonly path: string;
    /** Id of the log. */
    readonly log: Buffer;
    readonly epoch: number;
    /** Size of its records. */
    readonly bytes: number;
}
export interface LogOptions {
    readonly directory: string;
    readonly state: LogState;
    /** Commits a segment to the data file. Resolves when it is on disk. */
    readonly apply: (segment: SegmentToApply) => Promise<void>;
    /** Called after each attempt to apply a segment. */
    readonly onApply?: () => void;
}
/**
 * The write-ahead log: one write puts changes on disk. They reach the data file later, many of them in one commit.
 *
 * There are two segments. New changes go to the active one. To apply it, the log makes the other segment active, and one commit writes
 * all changes of the sealed segment to the data file. A crash leaves at most these two segments to apply at the next start.
 */
export declare class WriteAheadLog {
    #private;
    constructor(options: LogOptions);
    /** Why the data file does not accept a segment; undefined if it does. */
    get failure(): StorageError | undefined;
    /** Size of the changes that are not in the data file, in bytes. */
    get bytes(): number;
    /**
     * Puts changes on disk, all or none, after all earlier ones. Call it again only once the promise is settled.
     *
     * Rejects if the disk refuses the write, or while the data file does not accept earlier changes.
     */
    append(changes: readonly Change[]): Promise<void>;
    /**
     * Resolves when all changes that were appended so far are in the data file.
     *
     * @throws StorageError `storage_failed` if it does not accept them
     */
    applied(): Promise<void>;
    /** Applies everything and removes the files. If that fails, they stay for the next start. */
    close(): Promise<void>;
}
