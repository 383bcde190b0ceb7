import { TokenJson } from "../../protocols/token-json.js";
/**
 * Reads the tokens of a generation in slices. The native generation returns a copy of everything from an index to its end. A
 * copy of the rest for each slice of a long output would take quadratic time, so one copy serves many slices.
 */
export class TokenSlices {
    #model;
    #generation;
    #copy;
    #copiedFrom = 0;
    constructor(model, generation) {
        this.#model = model;
        this.#generation = generation;
    }
    /** Returns the tokens `from` (inclusive) `to` (exclusive), as copies. */
    read(from, to) {
        let copy = this.#copy;
        if (!copy || from < this.#copiedFrom || to > this.#copiedFrom + copy.ids.length) {
            copy = readRecordedTokens(this.#model, this.#generation, from);
            this.#copiedFrom = from;
        }
        const end = to - this.#copiedFrom;
        // The copy is not kept once it was read to its end.
        this.#copy = end === copy.ids.length ? undefined : copy;
        return cut(copy, from - this.#copiedFrom, end);
    }
}
/** Returns the tokens of a generation from an index to its end, as copies. */
export function readRecordedTokens(model, generation, from) {
    return {
        ids: generation.ids(from),
        logprobs: generation.logprobs(from),
        top: generation.top(from),
        tokenJson: tokenJsonFor(model),
    };
}
const writers = new WeakMap();
/** Returns what writes the log probabilities of a model's tokens. All answers share it. */
export function tokenJsonFor(model) {
    let writer = writers.get(model);
    if (!writer) {
        writer = new TokenJson({
            tokenText: (id) => model.decode(Int32Array.of(id), { skipSpecialTokens: false }),
            tokenBytes: (id) => model.tokenBytes(id),
        });
        writers.set(model, writer);
    }
    return writer;
}
/** Returns some of the tokens. Views would keep all of them in memory. */
function cut(tokens, from, to) {
    const { ids, logprobs, top, tokenJson } = tokens;
    if (from === 0 && to === ids.length)
        return tokens;
    const width = top?.width ?? 0;
    return {
        ids: ids.slice(from, to),
        logprobs: logprobs.slice(from, to),
        top: top && {
            width,
            ids: top.ids.slice(from * width, to * width),
            logprobs: top.logprobs.slice(from * width, to * width),
        },
        tokenJson,
    };
}
//# sourceMappingURL=token-slices.js.map