import type { PageFiles } from "../http/page-files.js";
/** The page as one document, split where the data blocks are inserted. */
export interface InlinePage {
    readonly before: string;
    readonly after: string;
}
/**
 * Returns the page with its script and its style inside, and with a content security policy that allows only these two.
 *
 * @throws Error if the page is not built as expected
 */
export declare function inlinePage(page: PageFiles): InlinePage;
