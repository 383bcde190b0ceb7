import type { SegmentToApply } from "./log/write-ahead-log.js";
/** Packed changes to commit, a segment of the log to apply, or the order to close the file. */
export type CommitRequest = Uint8Array<ArrayBuffer> | SegmentToApply | "close";
/** The result of one request. */
export interface CommitResult {
    /** Absent if the request succeeded. */
    readonly error?: Error;
}
