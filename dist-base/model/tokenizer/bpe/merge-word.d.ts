import { type MergeTable } from "./merge-table.js";
/**
 * Merges the tokens of one word in place: the pair with the lowest rank first, and the leftmost among equal ranks.
 *
 * @param ids one token for each byte of the word
 * @param length number of bytes of the word
 * @returns number of remaining tokens, which are at the start of `ids`
 */
export declare function mergeWord(ids: Int32Array, length: number, table: MergeTable): number;
