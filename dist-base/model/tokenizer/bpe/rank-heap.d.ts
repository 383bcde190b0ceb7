/** A pair of neighbours that can be merged. */
export interface RankedPair {
    readonly rank: number;
    readonly position: number;
}
/** A binary heap of pairs: the lowest rank first, and the leftmost among equal ranks. */
export declare class RankHeap {
    #private;
    push(rank: number, position: number): void;
    pop(): RankedPair | undefined;
}
