import type { TokenEntry } from "../../model/output/detokenizer/vocabulary.js";
/** The part of a vocabulary that turns tokens into text. */
export interface TokenEntries {
    entry(id: number): TokenEntry;
}
/** Number of tokens before a range that can hold the beginning of its first character: UTF-8 has at most four bytes. */
export declare const CHARACTER_TOKENS = 3;
/**
 * Returns the text of each token. A token that holds part of a character has the empty string; the last part has the
 * character. An invalid part becomes U+FFFD.
 *
 * @param isEnd true if no token follows that could complete the last character
 */
export declare function decodeTokens(entries: TokenEntries, ids: readonly number[], isEnd: boolean): string[];
