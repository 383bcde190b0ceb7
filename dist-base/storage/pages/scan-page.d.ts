/** Position of a key in a page: its bytes from `at` to before `end`. */
export interface KeyPlace {
    readonly page: Buffer;
    readonly at: number;
    readonly end: number;
}
/** Returns a negative number if the first key comes first. */
export type ComparePlaces = (one: KeyPlace, other: KeyPlace) => number;
/** Called for each node of a page, in ascending order of keys: where it begins, and where its key ends. */
export type VisitNode = (at: number, keyEnd: number, index: number) => void;
/** Bytes of a leaf's reference to a value with pages of its own: first page (8), transaction (8), number of pages (8). */
export declare const BIG_VALUE_BYTES = 24;
/**
 * Checks everything in a page that LMDB relies on without a check, and visits its nodes. Makes no object per node, because a
 * server does this for all pages with keys before it starts.
 *
 * @throws PageError if the page is damaged
 */
export declare function scanPage(page: Buffer, number: number, isLeaf: boolean, visit: VisitNode): void;
/** Order by bytes, as in all tables. */
export declare const comparePlacesByBytes: ComparePlaces;
/** Order of the keys of the tree of free pages, which are numbers of 8 bytes. */
export declare const comparePlacesByNumber: ComparePlaces;
