import { type BatchFindings } from "../inspect/batch-findings.js";
import type { BatchWriter, WrittenBatch } from "./batch-writer.js";
import type { BatchContent } from "./receive-batch.js";
/** The files that a job writes. */
export declare class BatchFiles {
    #private;
    readonly files: string[];
    bytes: number;
    rows: number;
    tokens: number;
    findings: BatchFindings;
    /**
     * @param writer writes each file
     * @param out the file of the batch, or the base name if there are several batches
     * @param first number of the first batch if there may be several, which is part of the name:
     * `batch-00000.safetensors`. Undefined if there is only one batch
     */
    constructor(writer: BatchWriter, out: string, first: number | undefined);
    /** Number of the batch whose file {@link nextFile} returned last. */
    get number(): number;
    /** The file that {@link nextFile} returns next. */
    get upcomingFile(): string;
    /** Returns the file of the next batch. Call it once per batch, even if the batch is not written. */
    nextFile(): string;
    /** Counts a batch that an earlier process wrote. */
    restore(file: string): Promise<void>;
    /**
     * Writes a batch. The file appears when it is complete.
     *
     * @throws BatchFileError if no folder took it
     */
    write(file: string, batch: BatchContent): Promise<WrittenBatch>;
}
