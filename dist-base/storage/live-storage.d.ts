import type { Entry, Table } from "./changes.js";
import type { StorageSize } from "./storage-size.js";
/** Read access to a storage folder. */
export interface StorageReader {
    get(table: Table, key: Uint8Array): Buffer | undefined;
    range(table: Table, prefix?: Uint8Array): Iterable<Entry>;
    readSize(): StorageSize;
    close(): void | Promise<void>;
}
/**
 * Opens a folder for reading. If a server has it open, reads go through LMDB, and all of them see the same commit.
 */
export declare function openForReading(directory: string): {
    readonly reader: StorageReader;
    readonly isOpen: boolean;
};
