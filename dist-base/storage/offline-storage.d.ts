import type { Entry } from "./changes.js";
import { type Table } from "./changes.js";
import { type LostKeys } from "./pages/walk-tree.js";
import type { StorageSize } from "./storage-size.js";
/** A part of the file that cannot be read. */
export interface Damage extends LostKeys {
    /** The table with the lost keys; undefined if it is the file's own structure. */
    readonly table: Table | undefined;
}
export type ReportDamage = (damage: Damage) => void;
/**
 * The folder of a server that is not running, as the server would find it at its start: the data file and the changes in the log that it
 * does not have yet. Reading changes nothing and creates no files. A damaged file can be read as far as it is intact.
 */
export declare class OfflineStorage {
    #private;
    readonly directory: string;
    /** Why confirmed changes are missing in the log; undefined if none is. */
    readonly logDamage: string | undefined;
    private constructor();
    /** True if reads also see the changes that are in the log only. */
    get includesLog(): boolean;
    /**
     * Opens the folder and keeps servers from opening it.
     *
     * @throws StorageError `storage_unusable` if a server has it open or it has no storage
     */
    static open(directory: string): OfflineStorage;
    /**
     * Opens the folder like {@link open}, to replace its file. Creates the lock file if it is missing.
     *
     * @throws StorageError `storage_unusable`
     */
    static openForChange(directory: string): OfflineStorage;
    /**
     * Opens a copy of the file in the folder. The folder must be locked.
     *
     * @throws PageError if it is damaged
     */
    static openCopy(directory: string, name: string): OfflineStorage;
    /**
     * Reads a value.
     *
     * @throws PageError if it is damaged
     */
    get(table: Table, key: Uint8Array): Buffer | undefined;
    /**
     * Reads all entries whose keys begin with `prefix`, in ascending order of keys.
     *
     * @throws PageError at the first damaged page
     */
    range(table: Table, prefix?: Uint8Array): Generator<Entry>;
    /** Reads all entries of a table that can be read, and reports those that cannot. */
    scan(table: Table, onDamage: ReportDamage): Generator<Entry>;
    /** Checks the parts of the file that have no records: the list of tables and the list of free pages. */
    checkStructure(onDamage: ReportDamage): void;
    /** Returns why a server would refuse the file; undefined if it would not. See {@link FileCheck}. */
    findDamage(): string | undefined;
    readSize(): StorageSize;
    close(): void;
    [Symbol.dispose](): void;
}
