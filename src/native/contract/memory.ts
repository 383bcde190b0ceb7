export interface PinnedMemory {
  readonly available: boolean;
  /** Where it is not available: what is missing, or which call of the driver failed and how. */
  readonly reason?: string;
}

export interface SharedPoolOptions {
  /** An absolute path: `/dev/shm`, or another directory on a file system in memory. */
  readonly directory: string;
  /** Memory that all files of the pool may take together, those that wait to be used again included. */
  readonly maxBytes: number;
  /**
   * Page-locks every slot for the devices of this process (default false); where that is not possible, packing fails
   * with `ERR_PINNED_UNAVAILABLE`. A reader in another process locks its own mapping instead.
   */
  readonly pinned?: boolean;
}

/**
 * Batches as files that other processes map: `pack(metadata, { memory: pool })`. Each file is exactly one safetensors
 * file, readable by this user only. Its header ends at a multiple of 64 bytes, and so the first tensor begins at one;
 * the format allows no holes, and the others follow without: they begin at multiples of 64 bytes too where the number
 * of tokens is a multiple of 16 (`padToMultipleOf`), and at multiples of their element size in any case.
 *
 * The rules, for a reader that knows a batch's path:
 * - The file appears under its path when it is whole, and never changes as long as its batch is neither acknowledged
 *   nor released.
 * - `batch.acknowledge()` says that no reader will look at it again. Its slot, memory that is warm already, becomes the
 *   file of a later batch, under another path: the old path is gone, so that a late reader finds no file. What a reader
 *   still has mapped then shows other bytes, or none.
 * - `batch.release()` without an acknowledgement unlinks the file; so does a batch that is garbage collected, and the
 *   end of the process. What a reader has mapped stays as it is; the memory is freed when the last mapping ends, and no
 *   longer counts here.
 * - A reader that unlinks, moves or links the file owns it for good: `batch.taken` is true, and acknowledging or
 *   releasing only frees this process's side.
 * - The files of a process that was killed are unlinked when the next pool is made in the directory; which processes
 *   live is told by locks that they hold, not by their ids.
 */
export interface NativeSharedPool {
  readonly use: SharedPoolUse;
  /**
   * Makes a free slot for a batch of so many bytes, so that the first batch of this size finds memory that is warm.
   * @throws as packing does: `ERR_SHARED_FULL`, `ERR_TOO_LARGE`, …
   */
  reserve(bytes: number): Promise<void>;
  /** Unlinks free slots that were not used for so long. */
  trim(unusedMilliseconds: number): void;
  /**
   * Unlinks the free slots and gives no more blocks (`ERR_RELEASED`). Batches that are out go on as before. Idempotent.
   */
  close(): void;
}

export interface SharedPoolUse {
  /** Memory of the pool's files, in whole pages. */
  readonly bytes: number;
  /** Slots that wait to be used again. */
  readonly freeSlots: number;
  /** Batches that were neither acknowledged nor released. */
  readonly lentSlots: number;
}
