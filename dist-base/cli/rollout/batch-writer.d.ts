import { BatchFileError } from "./batch-file.js";
import type { BatchContent } from "./receive-batch.js";
export interface BatchWriterOptions {
    /** Seconds for which writing is retried. `Infinity`: until the job is stopped. */
    readonly waitSeconds: number;
    /** After that time the batch is saved in the first of these folders that accepts it. */
    readonly rescueFolders: readonly string[];
    /** If no folder accepts the batch, retry until the job is stopped, because the data exists nowhere else. */
    readonly untilSaved: boolean;
    /** Aborts when the job is stopped. Writing is then not retried. */
    readonly signal: AbortSignal;
    readonly tell: (message: string) => void;
    /** Pause between two attempts. Default 2000. */
    readonly pauseMilliseconds?: number;
}
export interface WrittenBatch {
    /** The file that has the batch. */
    readonly file: string;
    /** Why the batch is in a rescue folder; undefined if it is in the requested file. */
    readonly failure: BatchFileError | undefined;
}
/** Writes batches. If that fails, it retries and then uses another folder, because a batch may be hours of work. */
export declare class BatchWriter {
    #private;
    constructor(options: BatchWriterOptions);
    /**
     * Tries to write `file` until it succeeds or the time is over, then tries the rescue folders.
     *
     * @throws BatchFileError if no folder accepted it
     */
    write(file: string, batch: BatchContent): Promise<WrittenBatch>;
}
