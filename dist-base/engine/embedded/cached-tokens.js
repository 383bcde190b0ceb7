/** The token ids whose keys and values a sequence holds in its cache, in order. */
export class CachedTokens {
    #ids;
    #length = 0;
    constructor(capacity) {
        this.#ids = new Int32Array(capacity);
    }
    get length() {
        return this.#length;
    }
    append(ids) {
        this.#ids.set(ids, this.#length);
        this.#length += ids.length;
    }
    /** Removes all but the first `length` tokens. */
    truncate(length) {
        this.#length = Math.min(this.#length, length);
    }
    /** Returns how many tokens a prompt shares with the cache, counted from the start. */
    commonPrefix(prompt) {
        const ids = this.#ids;
        const end = Math.min(this.#length, prompt.length);
        let length = 0;
        while (length < end && ids[length] === prompt[length])
            length++;
        return length;
    }
}
//# sourceMappingURL=cached-tokens.js.map