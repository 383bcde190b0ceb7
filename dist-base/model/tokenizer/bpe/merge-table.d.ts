/** A merge: two neighbouring tokens become one. */
export interface Merge {
    readonly left: number;
    readonly right: number;
    readonly merged: number;
}
/** Result of {@link MergeTable.rank} for two tokens that do not merge. */
export declare const NO_MERGE = -1;
/**
 * The merges of a BPE vocabulary by their pair of tokens: a hash table with open addressing in typed arrays. A `Map` would
 * need a new key object or string for every lookup.
 */
export declare class MergeTable {
    #private;
    /** @param merges in order of rank; if two have the same pair, the later one counts, as in the published libraries */
    constructor(merges: readonly Merge[]);
    /** Returns the rank of a pair. Pairs with a lower rank are merged earlier. */
    rank(left: number, right: number): number;
    /** Returns the token that results from the merge of this rank. */
    merged(rank: number): number;
}
