import type { Table } from "./changes.js";
import type { OfflineStorage } from "./offline-storage.js";
import type { StorageSize } from "./storage-size.js";
export interface CompactOptions {
    /** Returns false for entries that the copy leaves out. Default: it has all that can be read. */
    readonly isKept?: (table: Table, key: Buffer) => boolean;
    /** True: the original gets another name. False: it is removed, so it must be intact. */
    readonly keepOriginal: boolean;
}
export interface Compaction {
    readonly before: StorageSize;
    readonly after: StorageSize;
    /** Name of the original, if it was kept. */
    readonly original: string | undefined;
}
/**
 * Replaces the file of a folder with a copy that has its entries and no unused pages. The file stays as it is until the copy is on disk
 * and was read back. Never passes the file to LMDB, which would end the process at a damaged page.
 *
 * @param storage opened with {@link OfflineStorage.openForChange}
 * @throws StorageError `storage_unusable` if the copy cannot be written, for example because the disk has too little space
 */
export declare function compactStorage(storage: OfflineStorage, { isKept, keepOriginal }: CompactOptions): Promise<Compaction>;
