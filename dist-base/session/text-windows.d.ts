/** A position at which texts may begin. */
export interface WindowHit {
    /** The numbers that the caller gave to the texts. */
    readonly numbers: readonly number[];
    /** Index of the window's first character. */
    readonly at: number;
}
/**
 * Finds texts whose beginning occurs in another text, in time linear in the length of that text.
 *
 * It keeps only a 32-bit hash of the first window of each text, so the caller must check the results.
 */
export declare class TextWindows {
    #private;
    get isEmpty(): boolean;
    /** @param number the caller's number for the text */
    add(text: string, number: number): void;
    /**
     * Returns the positions in `text` at which texts may begin, at most MAX_PLACES for each window.
     *
     * @param text a text whose white space consists of single spaces
     */
    find(text: string): WindowHit[];
    clear(): void;
}
