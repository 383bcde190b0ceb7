/** Returns the text and the bytes of one token of a vocabulary. */
export interface TokenTexts {
    /** Returns the text of one token. An incomplete character becomes U+FFFD. */
    readonly tokenText: (id: number) => string;
    /** Returns the UTF-8 bytes that one token adds to the text. */
    readonly tokenBytes: (id: number) => Uint8Array;
}
/**
 * Writes the entries of log probabilities. The fields that depend on the token alone are cached: the same tokens occur again and
 * again, and decoding one takes ten times as long as writing the rest of its entry.
 */
export declare class TokenJson {
    #private;
    constructor(texts: TokenTexts);
    /** Returns the entry of one token without its closing brace. */
    writeEntry(id: number, logprob: number): string;
    /** Returns the entry of one token in the shape of Gemini's API. */
    writeCandidate(id: number, logprob: number): string;
}
