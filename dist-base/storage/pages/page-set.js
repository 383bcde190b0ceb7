import { PageError } from "./page-file.js";
/** The pages of a file that something points to. A page that is in use must have one use. */
export class PageSet {
    /** Number of pages in the file. */
    #count;
    /** Number of the last page that may be used. */
    #last;
    #used;
    #free;
    /**
     * @param count number of pages in the file
     * @param last number of the last page according to the meta page. The file may lack pages at its end
     */
    constructor(count, last) {
        this.#count = count;
        this.#last = last;
        const bytes = Math.ceil(Math.max(count, last + 1) / 8);
        this.#used = new Uint8Array(bytes);
        this.#free = new Uint8Array(bytes);
    }
    /**
     * Adds `count` pages that a tree has, from `first` on.
     *
     * @param by the page that points to them
     * @throws PageError if one of them is outside of the file or has a use already
     */
    use(first, count, by) {
        if (first + count > this.#count)
            throw new PageError(`the file is truncated: ${by} points past its end`);
        if (first + count - 1 > this.#last) {
            throw new PageError(`${by} points to page ${first + count - 1}, but the meta page says that ${this.#last} is the last one`);
        }
        for (let page = first; page < first + count; page++) {
            if (has(this.#used, page))
                throw new PageError(`${by} is damaged: it points to page ${page}, which has another use`);
            if (has(this.#free, page))
                throw new PageError(`page ${page} is both in use and in the list of free pages`);
            add(this.#used, page);
        }
    }
    /**
     * Adds free pages. LMDB tolerates pages that are free twice, and free pages that the file lacks at its end.
     *
     * @throws PageError if one of them is in use
     */
    free(first, count) {
        for (let page = first; page < first + count; page++) {
            if (has(this.#used, page))
                throw new PageError(`page ${page} is both in use and in the list of free pages`);
            add(this.#free, page);
        }
    }
    /**
     * Checks that the file lacks free pages only.
     *
     * @throws PageError if it lacks others
     */
    checkEnd() {
        for (let page = this.#count; page <= this.#last; page++) {
            if (!has(this.#free, page)) {
                throw new PageError(`the file is truncated, or its meta page is damaged: page ${page} is missing, the last one is ${this.#last}`);
            }
        }
    }
}
function has(bits, page) {
    return ((bits[page >> 3] ?? 0) & (1 << (page & 7))) !== 0;
}
function add(bits, page) {
    bits[page >> 3] = (bits[page >> 3] ?? 0) | (1 << (page & 7));
}
//# sourceMappingURL=page-set.js.map