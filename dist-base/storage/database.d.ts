import { type Change, type Entry, type Table } from "./changes.js";
import type { EntryBlock } from "./entry-block.js";
export interface DatabaseOptions {
    readonly path: string;
    /** False: a commit returns before it is on disk. */
    readonly sync: boolean;
    readonly readOnly: boolean;
}
/** A view of one commit. LMDB reuses no page of it until it is released. */
export interface Snapshot {
    readonly usedBytes: number;
    get(table: Table, key: Uint8Array): Buffer | undefined;
    range(table: Table, prefix: Uint8Array): Iterable<Entry>;
    release(): void;
}
/** The LMDB file with its tables, as opened by one thread. All threads of a process that open the same path share one memory map. */
export declare class LmdbFile {
    #private;
    constructor({ path, sync, readOnly }: DatabaseOptions);
    /**
     * Commits changes, all or none. Blocks its thread until they are on disk. If it throws, the changes may be visible, and may be on disk
     * after a crash. After a sync that failed, it commits nothing more.
     */
    commit(changes: Iterable<Change>): void;
    get(table: Table, key: Uint8Array): Buffer | undefined;
    /** Adds the entries of these keys to a block, in their order. Keys without a value are left out. */
    readInto(block: EntryBlock, table: Table, keys: readonly Buffer[]): void;
    /** Reads all entries whose keys begin with `prefix`, in ascending order of keys. */
    range(table: Table, prefix: Uint8Array): Iterable<Entry>;
    keys(table: Table, prefix: Uint8Array): Iterable<Buffer>;
    /** Returns the number of bytes in pages with data. */
    readUsedBytes(): number;
    /** Commits entries whose keys come after all keys of their table, in ascending order. They fill their pages. */
    append(entries: Iterable<Entry & {
        readonly table: Table;
    }>): void;
    /** Returns a view of the newest commit that later commits do not change. */
    takeSnapshot(): Snapshot;
    close(): Promise<void>;
}
