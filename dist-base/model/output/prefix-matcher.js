/**
 * Reads a text character by character and keeps track of how much of a pattern the text ends with (Knuth-Morris-Pratt).
 */
export class PrefixMatcher {
    pattern;
    /** For each length, the next shorter prefix of the pattern that is also a suffix of the prefix of that length. */
    #fallback;
    #matched = 0;
    /** @param pattern not empty */
    constructor(pattern) {
        this.pattern = pattern;
        this.#fallback = new Int32Array(pattern.length + 1);
        for (let length = 2, border = 0; length <= pattern.length; length++) {
            const code = pattern.charCodeAt(length - 1);
            while (border > 0 && pattern.charCodeAt(border) !== code)
                border = this.#fallback[border] ?? 0;
            if (pattern.charCodeAt(border) === code)
                border++;
            this.#fallback[length] = border;
        }
    }
    /** Length of the longest proper prefix of the pattern with which the text ends. */
    get matched() {
        return this.#matched;
    }
    /** Takes the next UTF-16 code unit. Returns true if the text now ends with the whole pattern. */
    step(code) {
        let matched = this.#matched;
        while (matched > 0 && this.pattern.charCodeAt(matched) !== code)
            matched = this.#fallback[matched] ?? 0;
        if (this.pattern.charCodeAt(matched) === code)
            matched++;
        const whole = matched === this.pattern.length;
        this.#matched = whole ? (this.#fallback[matched] ?? 0) : matched;
        return whole;
    }
}
//# sourceMappingURL=prefix-matcher.js.map