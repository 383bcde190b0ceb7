import type { EncodedText, KnownTexts } from "./encoded-text.js";
import type { Tokenizer } from "./tokenizer.js";
/** A text has more tokens than its limit. It was not encoded to its end. */
export declare class TooManyTokensError extends Error {
    readonly name = "TooManyTokensError";
    /** The tokens counted so far: a lower bound. */
    readonly tokens: number;
    constructor(tokens: number);
}
/**
 * Encodes like {@link Tokenizer.encode}, with a limit. A text that may exceed the limit is encoded slice by slice and
 * abandoned at the limit, so a text that is too long costs no more than one that just fits.
 *
 * @throws TooManyTokensError if a text that is encoded in slices exceeds the limit; other texts are encoded to their end
 */
export declare function encodeWithin(tokenizer: Pick<Tokenizer, "encode" | "slices">, text: string, maxTokens?: number, after?: string): Promise<Int32Array[]>;
/**
 * Encodes like {@link Tokenizer.encodeParts}, with the same limit. A long text that fits after all is looked up in the cache
 * twice, which is rare.
 *
 * @throws TooManyTokensError as in {@link encodeWithin}
 */
export declare function encodePartsWithin(tokenizer: Pick<Tokenizer, "encode" | "encodeParts" | "slices">, parts: readonly string[], maxTokens?: number, known?: KnownTexts): Promise<EncodedText>;
