import type { AddedToken } from "../../tokenizer/added-token.js";
import { type LeadingStrip, type TokenwiseDecoder } from "./decoder.js";
/** The parts of a tokenizer.json that determine how tokens become text. */
export interface VocabularyFile {
    readonly added_tokens: readonly AddedToken[];
    readonly decoder?: unknown;
}
/** The part of the tokenizer that a vocabulary needs. */
export interface TokenSource {
    findToken(id: number): string | undefined;
    decode(ids: Int32Array, options: {
        readonly skipSpecialTokens: boolean;
    }): string;
}
/** The text of a token: whole characters, bytes of a character, or the spelling of an added token. */
export type TokenEntry = {
    readonly kind: "text";
    readonly text: string;
} | {
    readonly kind: "bytes";
    readonly bytes: Uint8Array;
} | {
    readonly kind: "added";
    readonly text: string;
    readonly special: boolean;
};
/** The texts of a tokenizer's tokens, each computed on first use. Shared by all outputs of a model. */
export declare class Vocabulary {
    #private;
    /** Undefined if tokens cannot be decoded one by one. Then only `source.decode` returns the text. */
    readonly decoder: TokenwiseDecoder | undefined;
    readonly source: TokenSource;
    constructor(file: VocabularyFile, source: TokenSource);
    get strip(): LeadingStrip;
    /** Returns true if an added token has this spelling. Then only that token is a marker, not text with the same spelling. */
    isAdded(spelling: string): boolean;
    /** Returns the text of a token. Unknown ids have no text. */
    entry(id: number): TokenEntry;
    /** Returns the UTF-8 bytes that a token adds to the text. */
    bytes(id: number): Uint8Array;
}
