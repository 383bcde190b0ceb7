/**
 * Reads a text character by character and keeps track of how much of a pattern the text ends with (Knuth-Morris-Pratt).
 */
export declare class PrefixMatcher {
    #private;
    readonly pattern: string;
    /** @param pattern not empty */
    constructor(pattern: string);
    /** Length of the longest proper prefix of the pattern with which the text ends. */
    get matched(): number;
    /** Takes the next UTF-16 code unit. Returns true if the text now ends with the whole pattern. */
    step(code: number): boolean;
}
