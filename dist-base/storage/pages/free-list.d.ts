/** Free pages that follow each other. */
interface FreePages {
    readonly first: number;
    readonly count: number;
}
/**
 * Reads an entry of the list of free pages: the number of words that follow, then words of 8 bytes. A word is the number of a page, or
 * the negative number of pages in a row, followed by the number of the first one, or 0.
 *
 * @param lastPage number of the last page of the file
 * @throws PageError if the entry is damaged
 */
export declare function readFreePages(words: Buffer, lastPage: number): Generator<FreePages>;
export {};
