/** Maximum number of tokens whose fields are cached. They take a few megabytes. */
const MAX_KNOWN = 1 << 15;
/**
 * Writes the entries of log probabilities. The fields that depend on the token alone are cached: the same tokens occur again and
 * again, and decoding one takes ten times as long as writing the rest of its entry.
 */
export class TokenJson {
    #texts;
    #known = new Map();
    #candidates = new Map();
    constructor(texts) {
        this.#texts = texts;
    }
    /** Returns the entry of one token without its closing brace. */
    writeEntry(id, logprob) {
        const [before, after] = this.#known.get(id) ?? this.#learn(id);
        // Like `JSON.stringify`, which takes longer.
        return before + (Number.isFinite(logprob) ? logprob : "null") + after;
    }
    /** Returns the entry of one token in the shape of Gemini's API. */
    writeCandidate(id, logprob) {
        const before = this.#candidates.get(id) ?? this.#learnCandidate(id);
        return `${before}${Number.isFinite(logprob) ? logprob : "null"}}`;
    }
    #learnCandidate(id) {
        const before = `{"token":${JSON.stringify(this.#texts.tokenText(id))},"tokenId":${id},"logProbability":`;
        if (this.#candidates.size >= MAX_KNOWN)
            this.#candidates.clear();
        this.#candidates.set(id, before);
        return before;
    }
    #learn(id) {
        const { tokenText, tokenBytes } = this.#texts;
        const fields = [
            `{"token":${JSON.stringify(tokenText(id))},"logprob":`,
            `,"bytes":[${tokenBytes(id).join(",")}]`,
        ];
        if (this.#known.size >= MAX_KNOWN)
            this.#known.clear();
        this.#known.set(id, fields);
        return fields;
    }
}
//# sourceMappingURL=token-json.js.map