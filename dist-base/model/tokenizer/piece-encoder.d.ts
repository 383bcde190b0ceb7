import { CodedError } from "../../support/coded-error.js";
import { type AddedToken } from "./added-token.js";
import type { LibraryTokenizer } from "./library-tokenizer.js";
/** The files of a Hugging Face tokenizer. */
export interface TokenizerFiles {
    /** tokenizer.json. */
    readonly tokenizer: {
        readonly added_tokens: readonly AddedToken[];
        readonly normalizer?: unknown;
        readonly pre_tokenizer?: unknown;
        readonly model?: unknown;
    };
    /** tokenizer_config.json. */
    readonly config: object;
}
/** Thrown if a text cannot be encoded: the vocabulary has no token for a character, or a part without a break is too long. */
export declare class TokenizerError extends CodedError<"tokenizer_error"> {
    readonly name = "TokenizerError";
    constructor(message: string, options?: ErrorOptions);
}
/** Encodes pieces from a `Splitter`: an added token and the text after it, or a text without an added token. */
export interface PieceEncoder {
    encode(piece: string): Int32Array;
    /**
     * Cuts a piece into parts of about `size` characters that can be encoded one by one. Returns the whole piece if that
     * would not be exact.
     */
    parts(piece: string, size: number): string[];
}
/**
 * Creates the fastest encoder for these files: our own byte-level BPE if it supports the tokenizer, otherwise the library.
 * Both return the same ids.
 *
 * @param library returns the library's tokenizer, which takes long to create and may not be needed
 */
export declare function createPieceEncoder(files: TokenizerFiles, library: () => LibraryTokenizer): PieceEncoder;
