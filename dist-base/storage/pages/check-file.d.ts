import type { Steps } from "../../support/async/steps.js";
import { type PageFile } from "./page-file.js";
/**
 * Checks everything that LMDB relies on without a check: the meta pages, all pages with keys, where values are, and the list of free
 * pages. LMDB would end the process at a damaged one. Does not read values, whose checksums are checked when they are used.
 */
export declare class FileCheck {
    #private;
    constructor(file: PageFile);
    /** Number of pages that were checked. */
    get checked(): number;
    /** Number of pages to check, as far as it is known. */
    get total(): number;
    /** Returns why the file is damaged; undefined if it is intact. */
    run(): Steps<string | undefined>;
}
