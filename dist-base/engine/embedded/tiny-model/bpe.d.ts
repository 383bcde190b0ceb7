/** The Qwen2 split pattern as tokenizer.json spells it (Oniguruma). llama.cpp knows it under the name "qwen2". */
export declare const SPLIT_PATTERN = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
export interface BytePairEncoding {
    /** Ordinary tokens by id, spelled in the byte alphabet. */
    readonly tokens: readonly string[];
    readonly merges: readonly (readonly [string, string])[];
}
/**
 * Trains a byte-level BPE vocabulary of exactly `size` tokens. It starts with the 256 bytes and repeatedly merges the
 * most frequent adjacent pair. Ties go to the pair that sorts first, so the same corpus gives the same vocabulary.
 */
export declare function trainBytePairs(corpus: string, size: number): BytePairEncoding;
