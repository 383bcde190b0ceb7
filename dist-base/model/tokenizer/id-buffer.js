/** Collects token ids in an array that grows. */
export class IdBuffer {
    #ids = new Int32Array(64);
    #length = 0;
    /** Appends ids and returns their number. */
    push(ids) {
        const length = this.#length + ids.length;
        if (length > this.#ids.length) {
            const grown = new Int32Array(Math.max(length, this.#ids.length * 2));
            grown.set(this.#ids.subarray(0, this.#length));
            this.#ids = grown;
        }
        // For the few ids of a word, a loop is several times faster than `set`.
        if (ids.length > 16)
            this.#ids.set(ids, this.#length);
        else
            for (let i = 0; i < ids.length; i++)
                this.#ids[this.#length + i] = ids[i] ?? 0;
        this.#length = length;
        return ids.length;
    }
    /** Returns a copy of all ids. */
    ids() {
        return this.#ids.slice(0, this.#length);
    }
}
//# sourceMappingURL=id-buffer.js.map