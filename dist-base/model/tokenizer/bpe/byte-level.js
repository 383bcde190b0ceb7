import { z } from "zod";
import { byteAlphabet } from "../../../support/byte-alphabet.js";
import { MergeTable } from "./merge-table.js";
import { mergeWord } from "./merge-word.js";
/** The `model` of a tokenizer.json with a byte-level BPE that consists only of vocabulary and merges. */
export const byteLevelModelSchema = z.object({
    type: z.literal("BPE"),
    // Entries are not checked here: for large vocabularies, zod would take longer than everything else.
    vocab: z.custom((value) => typeof value === "object" && value !== null),
    merges: z.custom(Array.isArray),
    dropout: z.literal(0).nullish(),
    unk_token: z.null().optional(),
    continuing_subword_prefix: z.literal("").nullish(),
    end_of_word_suffix: z.literal("").nullish(),
    byte_fallback: z.literal(false).optional(),
    ignore_merges: z.boolean().default(false),
});
// Longer words are rare. V8 copies slices of up to 12 UTF-16 units; a longer cached slice would keep the whole text alive.
const MAX_CACHED_LENGTH = 12;
const MAX_CACHED_WORDS = 1 << 16;
/**
 * Encodes words by byte-level BPE. It works on numbers in typed arrays, where the libraries use texts and objects. The time
 * grows as n log n with the length of a word.
 */
export class ByteLevelBpe {
    #bytes;
    #table;
    /** With `ignore_merges`: words that are tokens themselves are not split and merged. Keys are spelled like the vocabulary. */
    #whole;
    #longestWhole;
    #alphabet = byteAlphabet();
    #cache = new Map();
    #scratch = makeScratch(MAX_KEPT_SCRATCH);
    /** Returns undefined if the vocabulary lacks a byte, or an input or result of a merge. */
    static from(model) {
        const vocabulary = new Map(Object.entries(model.vocab));
        const bytes = byteAlphabet().map((character) => vocabulary.get(character));
        const merges = model.merges.map((merge) => {
            const [first = "", second = ""] = typeof merge === "string" ? merge.split(" ", 2) : merge;
            return { left: vocabulary.get(first), right: vocabulary.get(second), merged: vocabulary.get(first + second) };
        });
        if (!bytes.every(isId) || !merges.every(isComplete))
            return undefined;
        return new ByteLevelBpe(bytes, new MergeTable(merges), model.ignore_merges ? vocabulary : undefined);
    }
    constructor(bytes, table, whole) {
        this.#bytes = Int32Array.from(bytes);
        this.#table = table;
        this.#whole = whole;
        this.#longestWhole = [...(whole?.keys() ?? [])].reduce((longest, token) => Math.max(longest, token.length), 0);
    }
    /** Returns the ids of a word. The array is shared: do not change it, and read it before the next call. */
    encode(word) {
        const cached = this.#cache.get(word);
        if (cached !== undefined)
            return cached;
        const ids = this.#merge(word);
        if (word.length > MAX_CACHED_LENGTH)
            return ids;
        if (this.#cache.size >= MAX_CACHED_WORDS)
            this.#cache.clear();
        const copy = ids.slice();
        this.#cache.set(word, copy);
        return copy;
    }
    #merge(word) {
        const bytes = word.length * 3;
        const { text, ids } = bytes <= MAX_KEPT_SCRATCH ? this.#scratch : makeScratch(bytes);
        const { written } = ENCODER.encodeInto(word, text);
        const whole = written <= this.#longestWhole ? this.#whole?.get(this.#spelled(text, written)) : undefined;
        if (whole !== undefined)
            return Int32Array.of(whole);
        for (let i = 0; i < written; i++)
            ids[i] = this.#bytes[text[i] ?? 0] ?? 0;
        return ids.subarray(0, mergeWord(ids, written, this.#table));
    }
    #spelled(text, length) {
        let spelled = "";
        for (let i = 0; i < length; i++)
            spelled += this.#alphabet[text[i] ?? 0] ?? "";
        return spelled;
    }
}
const ENCODER = new TextEncoder();
// Words of up to this many bytes use memory that is allocated once.
const MAX_KEPT_SCRATCH = 1 << 14;
const makeScratch = (bytes) => ({ text: new Uint8Array(bytes), ids: new Int32Array(bytes) });
const isId = (id) => id !== undefined;
const isComplete = (merge) => isId(merge.left) && isId(merge.right) && isId(merge.merged);
//# sourceMappingURL=byte-level.js.map