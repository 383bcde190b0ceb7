import { type Registry } from "prom-client";
import type { Storage } from "../../storage/index.js";
/** The part of a storage that metrics read. */
export type ObservedStorage = Pick<Storage, "readSize" | "logBytes" | "pending" | "failure" | "onWait">;
/**
 * Adds the metrics of the storage: its size, what is not on disk, and how long answers wait for the disk.
 *
 * @returns a function that stops counting
 */
export declare function observeStorage(storage: ObservedStorage, register: Registry): () => void;
