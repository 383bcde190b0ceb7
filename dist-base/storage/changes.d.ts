/** Tables of the storage file. A change names its table by position, so the order must not change. */
export declare const TABLES: readonly ["meta", "sessions", "records", "leases", "log"];
export type Table = (typeof TABLES)[number];
/** One write: sets the value of a key, or removes the key if the value is undefined. */
export interface Change {
    readonly table: Table;
    readonly key: Uint8Array;
    /** Must not be modified after it was given to the storage. */
    readonly value: Uint8Array | undefined;
}
/** A key of a table and its value. */
export interface Entry {
    readonly key: Buffer;
    readonly value: Buffer;
}
