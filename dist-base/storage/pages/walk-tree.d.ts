import type { Tree } from "./meta-page.js";
import { type PageFile } from "./page-file.js";
/** Keys from `from` (undefined: the first) to before `to` (undefined: the last). */
export interface KeyRange {
    readonly from: Buffer | undefined;
    readonly to: Buffer | undefined;
}
/** Keys whose values cannot be read, and why. */
export interface LostKeys extends KeyRange {
    readonly reason: string;
}
export interface TreeEntry {
    readonly key: Buffer;
    readonly flags: number;
    /** Reads the value. Throws a PageError if its pages are damaged. */
    readonly read: () => Buffer;
}
export declare const ALL_KEYS: KeyRange;
/** Order of keys: negative if the first one comes first. */
export type CompareKeys = (one: Buffer, other: Buffer) => number;
export interface WalkOptions {
    /** Default: all keys. */
    readonly range?: KeyRange;
    /** Default: by bytes, as in all tables. */
    readonly compare?: CompareKeys;
    /** Called for each page that cannot be read. The walk continues after it. */
    readonly onLost: (lost: LostKeys) => void;
}
export declare const compareBytes: CompareKeys;
/** Order of the keys of the tree of free pages, which are numbers of transactions. */
export declare const compareNumbers: CompareKeys;
/**
 * Reads the entries of a tree in ascending order of keys.
 *
 * All keys of a page must be in the range that its parent pages allow. The walk therefore ends if damaged pages point to each other.
 */
export declare function walkTree(file: PageFile, { root, depth }: Tree, { range, compare, onLost }: WalkOptions): Generator<TreeEntry>;
