import type { RowTokens } from "./row-tokens.js";
import type { BatchRow } from "./rows.js";
export interface ShownRow {
    readonly row: number;
    readonly entry: BatchRow;
    readonly reward: number | undefined;
    readonly tokens: RowTokens;
    /** The text of each token; undefined without a tokenizer. */
    readonly texts: readonly string[] | undefined;
    readonly warnings: readonly string[];
}
/**
 * Returns one row as text.
 *
 * @param hasColors colors tokens by log probability. Otherwise marks say what is in the loss, and how unlikely tokens are
 */
export declare function describeRowText(shown: ShownRow, hasColors: boolean): string;
/**
 * Makes characters visible that a terminal would obey or not show: control characters, those that change the direction of writing,
 * separators, halves of characters, and the marks of this report.
 */
export declare function showInvisible(text: string): string;
