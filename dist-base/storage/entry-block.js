const FIRST_BYTES = 1 << 18;
/** Memory for entries that are read and used together. A buffer for each value would cost an allocation and its garbage collection. */
export class EntryBlock {
    #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    #used = 0;
    #keys = [];
    /** Where each value begins in the block. */
    #starts = [];
    /** Size of the block in bytes. */
    get capacity() {
        return this.#bytes.length;
    }
    /** Adds an entry, with a copy of its value. */
    add(key, value) {
        this.#reserve(value.length);
        this.#bytes.set(value, this.#used);
        this.#keys.push(key);
        this.#starts.push(this.#used);
        this.#used += value.length;
    }
    /** Returns the entries in the order in which they were added. Their values are views of the block until {@link clear}. */
    entries() {
        return this.#keys.map((key, i) => {
            return { key, value: this.#bytes.subarray(this.#starts[i], this.#starts[i + 1] ?? this.#used) };
        });
    }
    clear() {
        this.#used = 0;
        this.#keys.length = 0;
        this.#starts.length = 0;
    }
    #reserve(length) {
        const needed = this.#used + length;
        if (needed <= this.#bytes.length)
            return;
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
        this.#bytes.copy(larger, 0, 0, this.#used);
        this.#bytes = larger;
    }
}
/** Maximum number of unused blocks, and maximum size of each in bytes. */
const MAX_UNUSED = 4;
const MAX_UNUSED_BYTES = 1 << 24;
/** A pool of blocks, which are reused. */
export class EntryBlocks {
    #unused = [];
    take() {
        return this.#unused.pop() ?? new EntryBlock();
    }
    /** Takes a block back. Its entries must not be used any more. */
    giveBack(block) {
        block.clear();
        if (this.#unused.length < MAX_UNUSED && block.capacity <= MAX_UNUSED_BYTES)
            this.#unused.push(block);
    }
}
//# sourceMappingURL=entry-block.js.map