import { type Table } from "./changes.js";
import { OfflineStorage } from "./offline-storage.js";
import type { StorageSize } from "./storage-size.js";
/** The number of entries of each table, and a checksum of them. */
export type TableDigests = ReadonlyMap<Table, string>;
/** Writes all entries that can be read and are kept to a new LMDB file. Returns the digests of what it wrote. */
export declare function writeCopy(path: string, storage: OfflineStorage, isKept: (table: Table, key: Buffer) => boolean): Promise<TableDigests>;
/**
 * Reads a copy back.
 *
 * @throws Error if it is damaged or differs from what was written
 */
export declare function checkCopy(directory: string, name: string, digests: TableDigests): StorageSize;
