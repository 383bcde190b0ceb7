import type { Change, Entry, Table } from "./changes.js";
import type { EntryBlock } from "./entry-block.js";
import { StorageError } from "./errors.js";
import { type ReportCheck } from "./intact-file.js";
import type { StorageSize } from "./storage-size.js";
/**
 * When the server sends an answer, and what is lost when the process or the machine stops.
 *
 * - `call`: after the changes of the call are on disk. No answered change is lost.
 * - `interval`: at once. The changes of the last interval are lost.
 * - `none`: at once. If the process stops, the changes of the last milliseconds are lost. If the machine stops, the file may be
 *   damaged.
 */
export type Durability = "call" | "interval" | "none";
export interface StorageOptions {
    readonly directory: string;
    readonly durability: Durability;
    /** Time between commits, for durability `interval`. Default 100. */
    readonly intervalMilliseconds?: number;
    /** Called each second while the pages of a large file are checked before it is opened. */
    readonly onCheck?: ReportCheck;
    /** Called with the error when writes begin to fail, and with undefined when they succeed again. */
    readonly onFailure?: (failure: StorageError | undefined) => void;
}
/** A folder whose content survives the process: tables of keys and values in one LMDB file, with a write-ahead log. */
export declare class Storage {
    #private;
    readonly directory: string;
    private constructor();
    /**
     * Opens the folder, and creates it if it is missing.
     *
     * @throws StorageError `storage_unusable` with the reason, for example that another process has it open
     */
    static open(options: StorageOptions): Promise<Storage>;
    /** Why the disk refuses writes; undefined if it accepts them. */
    get failure(): StorageError | undefined;
    /** Number of calls of {@link write} whose changes are not on disk. */
    get pending(): number;
    /** Size of the changes that are in the write-ahead log and not in the data file, in bytes. */
    get logBytes(): number;
    /**
     * Queues changes. They reach the disk together, after all earlier changes.
     *
     * @throws RangeError for a key that LMDB does not accept
     */
    write(changes: readonly Change[]): void;
    /** Resolves when an answer may be sent: with durability `call`, when all changes so far are on disk. */
    flushed(): Promise<void>;
    /**
     * Calls `listener` with the seconds of each wait for the disk, including waits that fail.
     *
     * @returns a function that removes the listener
     */
    onWait(listener: (seconds: number) => void): () => void;
    /** Resolves when all changes so far are in the data file and can be read, with any durability. */
    committed(): Promise<void>;
    /** Reads a value. Does not see changes that are not committed yet. */
    get(table: Table, key: Uint8Array): Buffer | undefined;
    /** Adds the entries of these keys to a block, in their order. Keys without a value are left out. */
    readInto(block: EntryBlock, table: Table, keys: readonly Buffer[]): void;
    /** Reads all entries whose keys begin with `prefix`, in ascending order of keys. */
    range(table: Table, prefix?: Uint8Array): Iterable<Entry>;
    /** Reads all keys that begin with `prefix`. */
    keys(table: Table, prefix: Uint8Array): Iterable<Buffer>;
    /** Reads the size of the file from disk. */
    readSize(): Promise<StorageSize>;
    /** @throws StorageError `storage_failed` if the storage was closed, so that nothing can be read any more */
    requireOpen(): void;
    /** Waits for the last commit and releases the folder for other processes. Idempotent. */
    close(): Promise<void>;
}
