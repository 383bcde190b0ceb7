import { FIRST_SPECIAL_ID, SPECIAL_TOKENS } from "./architecture.js";
import { SPLIT_PATTERN } from "./bpe.js";
/**
 * Returns the content of tokenizer.json (Hugging Face tokenizers). It has no normalizer, because llama.cpp's byte-level
 * BPE has none.
 */
export function tokenizerJson({ tokens, merges }) {
    const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false };
    const split = { type: "Split", pattern: { Regex: SPLIT_PATTERN }, behavior: "Isolated", invert: false };
    return {
        version: "1.0",
        truncation: null,
        padding: null,
        added_tokens: SPECIAL_TOKENS.map(addedToken),
        normalizer: null,
        pre_tokenizer: { type: "Sequence", pretokenizers: [split, byteLevel] },
        post_processor: null,
        decoder: byteLevel,
        model: {
            type: "BPE",
            dropout: null,
            unk_token: null,
            continuing_subword_prefix: "",
            end_of_word_suffix: "",
            fuse_unk: false,
            byte_fallback: false,
            ignore_merges: false,
            vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
            merges,
        },
    };
}
function addedToken(content, index) {
    return {
        id: FIRST_SPECIAL_ID + index,
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
    };
}
//# sourceMappingURL=tokenizer-json.js.map