import { type Change } from "./changes.js";
/** Returns the number of bytes that {@link writeChanges} writes. */
export declare function measureChanges(changes: readonly Change[]): number;
/**
 * Writes changes as one block of bytes. Each change is: number of the table (1 byte), length of the key (2), length of the value
 * (4; {@link REMOVED} for a removal), key, value. Numbers are big-endian.
 *
 * @param at where the block begins in `target`
 * @returns where it ends
 */
export declare function writeChanges(changes: readonly Change[], target: Buffer, at: number): number;
/** Packs changes into memory of their own, which can be transferred to another thread without a copy. */
export declare function packChanges(changes: readonly Change[]): Uint8Array<ArrayBuffer>;
/** Reads what {@link writeChanges} wrote. Keys and values are views of the block. */
export declare function unpackChanges(packed: Uint8Array<ArrayBuffer>): Generator<Change>;
