/** Splits a text into the words that BPE encodes one by one. */
export interface WordSplitter {
    words(text: string): readonly string[];
    /** In every text, a word ends between an ASCII letter and a space that another ASCII letter follows. */
    readonly endsBeforeSpaces: boolean;
}
/**
 * Creates a splitter for a pre-tokenizer that splits by regular expressions and then spells bytes, like GPT-2 and its
 * successors.
 *
 * @returns undefined for other pre-tokenizers
 */
export declare function createWordSplitter(preTokenizer: unknown): WordSplitter | undefined;
