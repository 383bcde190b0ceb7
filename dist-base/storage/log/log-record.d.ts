import type { Change } from "../changes.js";
export declare const LOG_ID_BYTES = 8;
export declare const PAGE_BYTES = 4096;
/** The log, the segment and the position of a record. The table above describes the fields. */
export interface RecordPlace {
    readonly log: Buffer;
    readonly epoch: number;
    readonly before: number;
    readonly number: number;
}
/** A record that was read. */
export interface LogRecord extends RecordPlace {
    readonly changes: Uint8Array<ArrayBuffer>;
    /** Where it ends in the file, and its successor begins. */
    readonly end: number;
}
/** Returns the size of a record with these changes, in bytes. It is a multiple of {@link PAGE_BYTES}. */
export declare function measureRecord(changes: readonly Change[]): number;
/** Writes a record to the start of `target`. Everything after it in `target` becomes zero. */
export declare function writeRecord(target: Buffer, place: RecordPlace, changes: readonly Change[]): void;
/**
 * Reads the record that begins at `at`; undefined if there is no complete one.
 *
 * @param log id of a log: records of other logs are ignored. Undefined: reads the record of any log
 */
export declare function readRecord(bytes: Buffer<ArrayBuffer>, at: number, log?: Buffer): LogRecord | undefined;
export declare function alignUp(size: number, unit: number): number;
