import type { NativeSharedPool } from "../../native/contract.js";
/**
 * The memory of a batch.
 *
 * - `heap`: memory of this process.
 * - `shared`: a file under /dev/shm, which other processes can map.
 * - `pinned`: page-locked memory, from which a GPU of this process copies directly.
 */
export type BatchMemory = "heap" | "shared" | "pinned";
export interface SharedMemoryOptions {
    /** Default `/dev/shm`. */
    readonly directory?: string;
    /** Limit for all files together, in bytes. Free files that wait for another batch count. Default 4 GiB. */
    readonly maxBytes?: number;
    /** Free files are removed after this time without a batch. Default 60,000. */
    readonly unusedMilliseconds?: number;
}
/** The shared files of one exporter. The pool is created when the first batch needs it. */
export declare class SharedMemory {
    #private;
    constructor(options?: SharedMemoryOptions);
    get pool(): NativeSharedPool;
    /** Memory of the files, in bytes; 0 if they are on a disk. */
    get bytesInMemory(): number;
    /** Removes the files that no batch uses. */
    dropFree(): void;
    /** Removes files that no batch has used for a while. */
    trim(): void;
    /** Starts to trim at regular intervals, until this object is closed or garbage-collected. */
    startTrimming(): void;
    /** Removes the files that dead processes of this user left in the directory. */
    removeOrphans(): void;
    /** Unlinks the files that no batch uses, and creates no more. Existing batches stay valid. Idempotent. */
    close(): void;
}
