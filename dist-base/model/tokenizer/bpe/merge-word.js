import { NO_MERGE } from "./merge-table.js";
import { RankHeap } from "./rank-heap.js";
/** Up to this length, it is faster to check every pair for each merge than to keep pairs in a heap. */
const SHORT = 48;
/**
 * Merges the tokens of one word in place: the pair with the lowest rank first, and the leftmost among equal ranks.
 *
 * @param ids one token for each byte of the word
 * @param length number of bytes of the word
 * @returns number of remaining tokens, which are at the start of `ids`
 */
export function mergeWord(ids, length, table) {
    return length <= SHORT ? mergeShort(ids, length, table) : mergeLong(ids, length, table);
}
function mergeShort(ids, length, table) {
    let count = length;
    for (;;) {
        let best = NO_MERGE;
        let at = 0;
        for (let i = 0; i + 1 < count; i++) {
            const rank = table.rank(ids[i] ?? 0, ids[i + 1] ?? 0);
            if (rank !== NO_MERGE && (best === NO_MERGE || rank < best)) {
                best = rank;
                at = i;
            }
        }
        if (best === NO_MERGE)
            return count;
        ids[at] = table.merged(best);
        ids.copyWithin(at + 1, at + 2, count);
        count--;
    }
}
/** Like {@link mergeShort}, in n log n: tokens form a linked list, and pairs that can merge are in a heap. */
function mergeLong(ids, length, table) {
    const word = new LinkedWord(ids, length, table);
    for (let pair = word.pairs.pop(); pair !== undefined; pair = word.pairs.pop())
        word.merge(pair.rank, pair.position);
    return word.compact();
}
class LinkedWord {
    pairs;
    #ids;
    #table;
    #next;
    #previous;
    /** Current rank of the pair that begins at each position. A heap entry with another rank is stale. */
    #ranks;
    constructor(ids, length, table) {
        this.#ids = ids;
        this.#table = table;
        this.#next = Int32Array.from({ length }, (_, i) => (i + 1 < length ? i + 1 : -1));
        this.#previous = Int32Array.from({ length }, (_, i) => i - 1);
        this.#ranks = new Int32Array(length).fill(NO_MERGE);
        this.pairs = new RankHeap();
        for (let i = 0; i < length; i++)
            this.#updateRank(i);
    }
    merge(rank, position) {
        if (this.#ranks[position] !== rank)
            return;
        const right = this.#next[position] ?? -1;
        const after = this.#next[right] ?? -1;
        this.#ids[position] = this.#table.merged(rank);
        this.#next[position] = after;
        this.#ranks[right] = NO_MERGE;
        if (after >= 0)
            this.#previous[after] = position;
        this.#updateRank(position);
        const before = this.#previous[position] ?? -1;
        if (before >= 0)
            this.#updateRank(before);
    }
    /** Moves the remaining tokens to the start and returns their number. */
    compact() {
        let count = 0;
        for (let i = 0; i >= 0; i = this.#next[i] ?? -1)
            this.#ids[count++] = this.#ids[i] ?? 0;
        return count;
    }
    #updateRank(position) {
        const right = this.#next[position] ?? -1;
        const rank = right < 0 ? NO_MERGE : this.#table.rank(this.#ids[position] ?? 0, this.#ids[right] ?? 0);
        this.#ranks[position] = rank;
        if (rank !== NO_MERGE)
            this.pairs.push(rank, position);
    }
}
//# sourceMappingURL=merge-word.js.map