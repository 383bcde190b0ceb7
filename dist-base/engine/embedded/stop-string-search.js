/** Additional tokens to decode, because some tokens have no text. */
const SLACK_TOKENS = 16;
/**
 * Finds stop strings in the text of a growing output. For each token, only the last tokens are decoded: a token usually
 * has at least one byte, so a stop string that ends in the newest token begins within as many tokens as it has bytes.
 * Control tokens count as the text that spells them.
 */
export class StopStringSearch {
    #stops;
    #decode;
    #tailTokens;
    constructor(stops, decode) {
        this.#stops = stops.filter((stop) => stop !== "");
        this.#decode = decode;
        this.#tailTokens = SLACK_TOKENS + Math.max(0, ...this.#stops.map((stop) => Buffer.byteLength(stop)));
    }
    /** Returns the stop string that the newest token completed; of several, the one that begins first. */
    find(output) {
        if (this.#stops.length === 0)
            return undefined;
        const tail = this.#decode(output.slice(-this.#tailTokens));
        let found;
        let start = tail.length;
        for (const stop of this.#stops) {
            const index = tail.indexOf(stop);
            if (index >= 0 && index < start)
                [found, start] = [stop, index];
        }
        return found;
    }
}
//# sourceMappingURL=stop-string-search.js.map