import type { Batch } from "./batch/batch.js";
/**
 * Batches in shared files that readers use.
 *
 * A reader acknowledges its batch, and the memory of the file is then reused for another batch. A file that is not
 * acknowledged is unlinked when its lease expires or its reader's process ends. It is never overwritten, so memory that
 * the reader still maps keeps its content.
 */
export declare class SharedExports {
    #private;
    get size(): number;
    lend(id: string, batch: Batch, leaseMilliseconds: number, readerPid?: number): void;
    /** Returns false if there is no lease with this id. */
    acknowledge(id: string): boolean;
    /** Unlinks the file of a batch whose response was not delivered. */
    withdraw(id: string): void;
    /**
     * Unlinks the files that will not be acknowledged: their lease expired, or their reader has ended or taken the file.
     */
    reap(now?: number): void;
    close(): void;
}
export declare function isAlive(pid: number): boolean;
