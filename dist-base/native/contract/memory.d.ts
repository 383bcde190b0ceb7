export interface PinnedMemory {
    readonly available: boolean;
    /** Why it is not available: what is missing, or which call of the driver failed with which result. */
    readonly reason?: string;
}
export interface SharedPoolOptions {
    /** An absolute path: `/dev/shm`, or another directory on a file system in memory. */
    readonly directory: string;
    /** Limit for all files of the pool together, including free slots, in bytes. */
    readonly maxBytes: number;
    /**
     * Page-locks every slot for the devices of this process. Default false. If that is not possible, packing fails with
     * `ERR_PINNED_UNAVAILABLE`. A reader in another process must lock its own mapping.
     */
    readonly pinned?: boolean;
}
/**
 * Batches as files that other processes can map: `pack(metadata, { memory: pool })`.
 *
 * Each file is exactly one safetensors file and is readable by this user only. The first tensor begins at a multiple of
 * 64 bytes. The others follow without gaps, because the format allows none. They begin at multiples of their element
 * size, and at multiples of 64 bytes if the number of tokens is a multiple of 16 (`padToMultipleOf`).
 *
 * Rules for a reader that knows the path of a batch:
 *
 * - The file appears under its path when it is complete. It does not change until its batch is acknowledged or
 *   released.
 * - `batch.acknowledge()` means that no reader will look at the file again. Its slot becomes the file of a later batch
 *   under another path, which saves allocating new memory. A late reader finds no file. A mapping that a reader still
 *   has then shows other bytes, or none.
 * - `batch.release()` without an acknowledgement unlinks the file, as do garbage collection of the batch and the end of
 *   the process. A mapping that a reader has stays valid. The memory is freed with the last mapping and no longer
 *   counts here.
 * - A reader that unlinks, moves or links the file owns it from then on: `batch.taken` is true, and acknowledging or
 *   releasing only frees this process's side.
 * - The files of a killed process are unlinked when the next pool is created in the directory. Locks, not process ids,
 *   show which processes are alive.
 */
export interface NativeSharedPool {
    readonly use: SharedPoolUse;
    /**
     * Creates a free slot for a batch of this size, so that the first such batch need not allocate memory.
     *
     * @throws the errors of packing: `ERR_SHARED_FULL`, `ERR_TOO_LARGE`, …
     */
    reserve(bytes: number): Promise<void>;
    /** Unlinks free slots that were not used for this time. */
    trim(unusedMilliseconds: number): void;
    /**
     * Unlinks the free slots. Later packing fails with `ERR_RELEASED`. Existing batches stay valid. Idempotent.
     */
    close(): void;
}
export interface SharedPoolUse {
    /** Memory of the pool's files in bytes, rounded up to whole pages. */
    readonly bytes: number;
    /** Number of slots that can be reused. */
    readonly freeSlots: number;
    /** Number of batches that were neither acknowledged nor released. */
    readonly lentSlots: number;
}
