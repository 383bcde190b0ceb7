/** Result of {@link MergeTable.rank} for two tokens that do not merge. */
export const NO_MERGE = -1;
/**
 * The merges of a BPE vocabulary by their pair of tokens: a hash table with open addressing in typed arrays. A `Map` would
 * need a new key object or string for every lookup.
 */
export class MergeTable {
    #mask;
    /** Left and right token and rank of every slot; a rank below 0 is a free slot. */
    #slots;
    #merged;
    /** @param merges in order of rank; if two have the same pair, the later one counts, as in the published libraries */
    constructor(merges) {
        const capacity = 2 ** Math.ceil(Math.log2(Math.max(1, merges.length) * 2));
        this.#mask = capacity - 1;
        this.#slots = new Int32Array(capacity * 3).fill(NO_MERGE);
        this.#merged = new Int32Array(merges.length);
        for (const [rank, { left, right, merged }] of merges.entries()) {
            const slot = this.#slot(left, right);
            this.#slots.set([left, right, rank], slot);
            this.#merged[rank] = merged;
        }
    }
    /** Returns the rank of a pair. Pairs with a lower rank are merged earlier. */
    rank(left, right) {
        return this.#slots[this.#slot(left, right) + 2] ?? NO_MERGE;
    }
    /** Returns the token that results from the merge of this rank. */
    merged(rank) {
        return this.#merged[rank] ?? NO_MERGE;
    }
    /** Returns the slot of a pair, or the free slot where it would be inserted. */
    #slot(left, right) {
        let index = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> 0;
        index = (index ^ (index >>> 15)) & this.#mask;
        for (;;) {
            const slot = index * 3;
            const stored = this.#slots[slot];
            if (stored === left && this.#slots[slot + 1] === right)
                return slot;
            if (stored === NO_MERGE || stored === undefined)
                return slot;
            index = (index + 1) & this.#mask;
        }
    }
}
//# sourceMappingURL=merge-table.js.map