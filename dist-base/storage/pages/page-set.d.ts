/** The use of a page. */
export type PageUse = "used" | "free";
/** The pages of a file that something points to. A page that is in use must have one use. */
export declare class PageSet {
    #private;
    /**
     * @param count number of pages in the file
     * @param last number of the last page according to the meta page. The file may lack pages at its end
     */
    constructor(count: number, last: number);
    /**
     * Adds `count` pages that a tree has, from `first` on.
     *
     * @param by the page that points to them
     * @throws PageError if one of them is outside of the file or has a use already
     */
    use(first: number, count: number, by: string): void;
    /**
     * Adds free pages. LMDB tolerates pages that are free twice, and free pages that the file lacks at its end.
     *
     * @throws PageError if one of them is in use
     */
    free(first: number, count: number): void;
    /**
     * Checks that the file lacks free pages only.
     *
     * @throws PageError if it lacks others
     */
    checkEnd(): void;
}
