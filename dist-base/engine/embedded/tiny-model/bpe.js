import { byteAlphabet } from "../../../support/byte-alphabet.js";
/** The Qwen2 split pattern as tokenizer.json spells it (Oniguruma). llama.cpp knows it under the name "qwen2". */
export const SPLIT_PATTERN = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const SPLIT = /'(?:[sdmt]|ll|re|ve)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;
/**
 * Trains a byte-level BPE vocabulary of exactly `size` tokens. It starts with the 256 bytes and repeatedly merges the
 * most frequent adjacent pair. Ties go to the pair that sorts first, so the same corpus gives the same vocabulary.
 */
export function trainBytePairs(corpus, size) {
    const tokens = byteAlphabet().sort();
    const known = new Set(tokens);
    const merges = [];
    const words = countWords(corpus);
    while (tokens.length < size) {
        const pair = mostFrequentPair(words);
        if (!pair)
            throw new Error(`the corpus is too small: it yields only ${tokens.length} of ${size} tokens`);
        merges.push(pair);
        const merged = pair[0] + pair[1];
        if (!known.has(merged)) {
            known.add(merged);
            tokens.push(merged);
        }
        for (const word of words)
            word.parts = mergePair(word.parts, pair);
    }
    return { tokens, merges };
}
function countWords(corpus) {
    const alphabet = byteAlphabet();
    const counts = new Map();
    for (const [word] of corpus.matchAll(SPLIT))
        counts.set(word, (counts.get(word) ?? 0) + 1);
    return Array.from(counts, ([word, count]) => ({
        parts: Array.from(Buffer.from(word, "utf8"), (byte) => alphabet[byte] ?? ""),
        count,
    }));
}
/** Pairs are keyed by their halves with a space between, which no token in the byte alphabet contains. */
function mostFrequentPair(words) {
    const counts = new Map();
    for (const { parts, count } of words) {
        for (let i = 0; i + 1 < parts.length; i++) {
            const pair = `${parts[i]} ${parts[i + 1]}`;
            counts.set(pair, (counts.get(pair) ?? 0) + count);
        }
    }
    let best = "";
    let bestCount = 0;
    for (const [pair, count] of counts) {
        if (count > bestCount || (count === bestCount && pair < best))
            [best, bestCount] = [pair, count];
    }
    const [left, right] = best.split(" ");
    return left && right ? [left, right] : undefined;
}
function mergePair(parts, [left, right]) {
    const merged = [];
    for (let i = 0; i < parts.length; i++) {
        const part = parts[i] ?? "";
        if (part === left && parts[i + 1] === right) {
            merged.push(part + right);
            i++;
        }
        else
            merged.push(part);
    }
    return merged;
}
//# sourceMappingURL=bpe.js.map