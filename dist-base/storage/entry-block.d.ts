import type { Entry } from "./changes.js";
/** Memory for entries that are read and used together. A buffer for each value would cost an allocation and its garbage collection. */
export declare class EntryBlock {
    #private;
    /** Size of the block in bytes. */
    get capacity(): number;
    /** Adds an entry, with a copy of its value. */
    add(key: Buffer, value: Buffer): void;
    /** Returns the entries in the order in which they were added. Their values are views of the block until {@link clear}. */
    entries(): Entry[];
    clear(): void;
}
/** A pool of blocks, which are reused. */
export declare class EntryBlocks {
    #private;
    take(): EntryBlock;
    /** Takes a block back. Its entries must not be used any more. */
    giveBack(block: EntryBlock): void;
}
