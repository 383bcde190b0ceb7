/** Tokens that are added to the generation at once. */
const CHUNK_TOKENS = 256;
/** Adds sampled tokens to the native generation: one by one if `onTokens` is set, otherwise in chunks. */
export class OutputWriter {
    #generation;
    #version = 0;
    #width;
    #onTokens;
    #ids = new Int32Array(CHUNK_TOKENS);
    #logprobs = new Float32Array(CHUNK_TOKENS);
    #topIds;
    #topLogprobs;
    #length = 0;
    /**
     * @param width alternatives per token; 0 for none
     * @param onTokens called after tokens were added to the generation
     */
    constructor(generation, width, onTokens) {
        this.#onTokens = onTokens;
        this.#generation = generation;
        this.#width = width;
        this.#topIds = new Int32Array(CHUNK_TOKENS * width);
        this.#topLogprobs = new Float32Array(CHUNK_TOKENS * width);
    }
    /** Sets the weight version of the tokens that are pushed from here on. */
    setVersion(version) {
        if (version !== this.#version)
            this.flush();
        this.#version = version;
    }
    push({ id, logprob, top }) {
        this.#ids[this.#length] = id;
        this.#logprobs[this.#length] = logprob;
        for (let rank = 0, at = this.#length * this.#width; rank < this.#width; rank++, at++) {
            this.#topIds[at] = top.ids[rank] ?? -1;
            this.#topLogprobs[at] = top.logprobs[rank] ?? 0;
        }
        this.#length++;
        if (this.#onTokens || this.#length === CHUNK_TOKENS)
            this.flush();
    }
    flush() {
        const length = this.#length;
        if (length === 0)
            return;
        this.#generation.append(this.#ids.slice(0, length), this.#logprobs.slice(0, length), this.#version);
        if (this.#width > 0) {
            const places = length * this.#width;
            this.#generation.appendTop(this.#topIds.slice(0, places), this.#topLogprobs.slice(0, places), this.#width);
        }
        this.#length = 0;
        this.#onTokens?.();
    }
}
//# sourceMappingURL=output-writer.js.map