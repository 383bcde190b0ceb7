const POSITIONS = 2 ** 31;
/** A binary heap of pairs: the lowest rank first, and the leftmost among equal ranks. */
export class RankHeap {
    /** Rank and position in one number, which is exact below 2⁵³. */
    #keys = [];
    push(rank, position) {
        const keys = this.#keys;
        const key = rank * POSITIONS + position;
        let at = keys.length;
        keys.push(key);
        while (at > 0) {
            const parent = (at - 1) >> 1;
            const above = keys[parent] ?? 0;
            if (above <= key)
                break;
            keys[at] = above;
            at = parent;
        }
        keys[at] = key;
    }
    pop() {
        const keys = this.#keys;
        const first = keys[0];
        const last = keys.pop();
        if (first === undefined || last === undefined)
            return undefined;
        if (keys.length > 0)
            this.#sink(last);
        return { rank: Math.floor(first / POSITIONS), position: first % POSITIONS };
    }
    /** Inserts a key at the top and moves it down to its place. */
    #sink(key) {
        const keys = this.#keys;
        let at = 0;
        for (let child = 1; child < keys.length; child = 2 * at + 1) {
            const sibling = keys[child + 1];
            if (sibling !== undefined && sibling < (keys[child] ?? 0))
                child++;
            const below = keys[child] ?? 0;
            if (below >= key)
                break;
            keys[at] = below;
            at = child;
        }
        keys[at] = key;
    }
}
//# sourceMappingURL=rank-heap.js.map