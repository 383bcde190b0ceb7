import { type MetaPage } from "./meta-page.js";
/** Bytes of the header of each page: number (8), transaction (8), padding (2), flags (2), bounds of the free space or pages (4). */
export declare const HEADER_BYTES = 24;
/** A page is missing or damaged. The message names the page and the reason. */
export declare class PageError extends Error {
    readonly name = "PageError";
}
/**
 * An LMDB file that is read without LMDB. LMDB maps the file and trusts its content: a page that is damaged or missing ends the
 * process. It also needs a lock file beside the file.
 *
 * The file must not be written meanwhile.
 */
export declare class PageFile {
    #private;
    readonly byteLength: number;
    readonly pageSize: number;
    /** The newest meta page. */
    readonly meta: MetaPage;
    /** Numbers of meta pages that are damaged. The older meta page is used if the newer one is. */
    readonly damagedMeta: readonly number[];
    /** The transactions of the two meta pages, if both can be read. */
    readonly transactions: readonly bigint[];
    /** @throws PageError if it is not a file of LMDB */
    constructor(path: string);
    /**
     * Reads a page of a tree.
     *
     * @throws PageError if the page is missing or has another number
     */
    readPage(number: number): Buffer;
    /**
     * Reads a value that has pages of its own.
     *
     * @throws PageError like {@link readPage}
     */
    readOverflow(number: number, length: number): Buffer;
    close(): void;
}
/**
 * Returns true if meta pages with these transactions can belong to one file: each commit replaces the older one. In a file that is new,
 * or that LMDB wrote as a copy, the older one has the transaction 0.
 */
export declare function areConsecutive(newer: bigint, older: bigint): boolean;
export declare function readFlags(page: Buffer): number;
