/**
 * Removes the batch files of this user's dead processes, for example after `kill -9`. Batches that a reader moved, linked or mapped
 * stay.
 */
export declare function removeOrphanedBatches(directory: string): void;
