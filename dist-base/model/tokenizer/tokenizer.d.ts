import { type EncodedText, type KnownTexts } from "./encoded-text.js";
import { type CacheStats } from "./piece-cache.js";
import { type TokenizerFiles } from "./piece-encoder.js";
/**
 * Converts text to token ids and back, exactly like Python's `tokenizers` with `add_special_tokens=False`: no token is
 * added. Text that spells a special token becomes that token, even in user text, as in Python.
 */
export declare class Tokenizer {
    #private;
    /** @param cacheBytes limit of the cache of encoded pieces */
    constructor(files: TokenizerFiles, cacheBytes: number);
    get cacheStats(): CacheStats;
    /** Starts a thread for large texts, so the first large text does not wait for it. */
    warmUp(): void;
    /** Ends the threads. */
    close(): Promise<void>;
    findId(token: string): number | undefined;
    /** Returns a token as the vocabulary spells it. Only for added tokens, this is also the token's text. */
    findToken(id: number): string | undefined;
    /** Returns the added token with which a text begins; if several match, the longest. */
    addedTokenAt(text: string): string | undefined;
    /**
     * Encodes a text and returns the ids in pieces to be concatenated. Pieces are shared with other calls: do not change them.
     *
     * Short new text is encoded immediately, long new text in other threads. On the event loop, a text costs its lookup in
     * the cache, about 1 ms for 1 MB.
     *
     * @param after an added token right before the text; the result does not contain its id
     * @throws TokenizerError if the text cannot be encoded
     */
    encode(text: string, after?: string): Promise<Int32Array[]>;
    /**
     * Encodes a text in parts. Only the part that no known text begins with is looked up and encoded.
     *
     * @param known recently encoded texts; this text is added to them
     * @throws TokenizerError if the text cannot be encoded
     */
    encodeParts(parts: readonly string[], known?: KnownTexts): Promise<EncodedText>;
    /**
     * Cuts a text into slices of about `length` characters or more, whose concatenated ids are those of the whole text. Each slice
     * is cut when it is taken.
     */
    slices(text: string, length: number): Iterable<string>;
    /** Returns the text of the ids. Unknown ids are left out; an incomplete character becomes U+FFFD. */
    decode(ids: Int32Array, { skipSpecialTokens }: {
        readonly skipSpecialTokens: boolean;
    }): string;
}
