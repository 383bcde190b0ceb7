import type { Worker } from "./worker-pool.js";
/**
 * Splits `slots` over workers so that their loads become as equal as possible.
 *
 * @param loads current load of each worker: its sessions and its free slots
 * @returns the slots for each worker
 */
export declare function spreadSlots(slots: number, loads: readonly number[]): number[];
/** Returns the workers with the most free slots first, and among equals those with the fewest sessions first. */
export declare function sortByFreeSlots(workers: readonly Worker[]): Worker[];
