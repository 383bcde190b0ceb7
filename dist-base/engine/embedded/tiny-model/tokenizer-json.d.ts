import { type BytePairEncoding } from "./bpe.js";
/**
 * Returns the content of tokenizer.json (Hugging Face tokenizers). It has no normalizer, because llama.cpp's byte-level
 * BPE has none.
 */
export declare function tokenizerJson({ tokens, merges }: BytePairEncoding): unknown;
