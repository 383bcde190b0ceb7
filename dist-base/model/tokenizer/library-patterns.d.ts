/**
 * Gives the pre-tokenizers of a library's tokenizer the patterns of Python's `tokenizers`. The library keeps its patterns in a
 * field of each pre-tokenizer; there is no other way to set one.
 *
 * @param step a pre-tokenizer of the library
 * @param config the same pre-tokenizer in tokenizer.json
 */
export declare function correctPatterns(step: unknown, config: unknown): void;
