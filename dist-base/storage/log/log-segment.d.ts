import type { Change } from "../changes.js";
/** A file of the log, which has the records of one segment at a time. Once they are in the data file, another segment overwrites them. */
export declare class LogSegment {
    #private;
    readonly path: string;
    /** @param log id of the log */
    constructor(path: string, log: Buffer);
    get epoch(): number;
    /** Size of its records in bytes. */
    get bytes(): number;
    /** Number of changes in its records. */
    get changes(): number;
    /**
     * Begins another segment. The records so far must be in the data file.
     *
     * @param before the previous segment. Its size is read later, because its last record may still be written now
     */
    begin(epoch: number, before?: LogSegment): void;
    /** Writes a record. Resolves when it is on disk. If this rejects, the next record takes its place. */
    append(changes: readonly Change[]): Promise<void>;
    release(): void;
}
