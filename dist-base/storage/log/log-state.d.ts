import type { Change } from "../changes.js";
/** The state of the log. It is stored in the data file, and each commit that applies a segment changes it. */
export interface LogState {
    /** A random id, which is also in each record. No agent knows it, so no message can look like a record of this log. */
    readonly log: Buffer;
    /** The last segment whose changes are in the data file. */
    readonly applied: number;
}
/** Read access to a data file. */
export interface LogStateReader {
    get(table: "log", key: Uint8Array): Buffer | undefined;
}
export declare function newLogState(): LogState;
/** The change that removes the state. */
export declare const NO_LOG_STATE: Change;
/** Returns the change that stores the state. */
export declare function storeLogState({ log, applied }: LogState): Change;
/**
 * Reads the state from a data file; undefined if it never had a log.
 *
 * @throws Error if it is damaged
 */
export declare function readLogState(storage: LogStateReader): LogState | undefined;
