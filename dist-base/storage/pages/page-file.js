import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { readMetaPage } from "./meta-page.js";
/** Sizes that LMDB's pages can have. */
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536];
const META_BYTES = 512;
/** Bytes of the header of each page: number (8), transaction (8), padding (2), flags (2), bounds of the free space or pages (4). */
export const HEADER_BYTES = 24;
const OVERFLOW = 0x04;
/** A page is missing or damaged. The message names the page and the reason. */
export class PageError extends Error {
    name = "PageError";
}
/**
 * An LMDB file that is read without LMDB. LMDB maps the file and trusts its content: a page that is damaged or missing ends the
 * process. It also needs a lock file beside the file.
 *
 * The file must not be written meanwhile.
 */
export class PageFile {
    byteLength;
    pageSize;
    /** The newest meta page. */
    meta;
    /** Numbers of meta pages that are damaged. The older meta page is used if the newer one is. */
    damagedMeta;
    /** The transactions of the two meta pages, if both can be read. */
    transactions;
    #file;
    /** @throws PageError if it is not a file of LMDB */
    constructor(path) {
        this.#file = openSync(path, "r");
        try {
            this.byteLength = fstatSync(this.#file).size;
            const metas = this.#readMetas();
            this.transactions = metas.flatMap((meta) => meta?.transaction ?? []);
            this.damagedMeta = [0, 1].filter((number) => !metas[number]);
            const newest = this.#findNewest(metas.flatMap((meta) => meta ?? []));
            if (!newest)
                throw new PageError("it is not a file of LMDB, or its first pages are damaged");
            this.meta = newest;
            this.pageSize = newest.pageSize;
        }
        catch (error) {
            closeSync(this.#file);
            throw error;
        }
    }
    /**
     * Reads a page of a tree.
     *
     * @throws PageError if the page is missing or has another number
     */
    readPage(number) {
        this.#checkNumber(number);
        const page = this.#read(number * this.pageSize, this.pageSize);
        this.#checkHeader(page, number);
        return page;
    }
    /**
     * Reads a value that has pages of its own.
     *
     * @throws PageError like {@link readPage}
     */
    readOverflow(number, length) {
        this.#checkNumber(number);
        const bytes = this.#read(number * this.pageSize, HEADER_BYTES + length);
        this.#checkHeader(bytes, number);
        const isOverflow = readFlags(bytes) === OVERFLOW;
        if (!isOverflow || bytes.readUInt32LE(20) * this.pageSize < bytes.length) {
            throw new PageError(`page ${number} is not the first page of a value of ${length} bytes`);
        }
        return bytes.subarray(HEADER_BYTES);
    }
    close() {
        closeSync(this.#file);
    }
    #checkNumber(number) {
        const { lastPage } = this.meta;
        if (number > lastPage)
            throw new PageError(`page ${number} does not exist: the last one is ${lastPage}`);
    }
    #checkHeader(page, number) {
        const found = page.readBigUInt64LE(0);
        if (found !== BigInt(number))
            throw new PageError(`page ${number} is damaged: its header has the page number ${found}`);
        if (page.readBigUInt64LE(8) > this.meta.transaction) {
            throw new PageError(`page ${number} is damaged: its transaction was not committed`);
        }
    }
    #readMetas() {
        const first = readMetaPage(this.#read(0, META_BYTES), 0);
        const seconds = PAGE_SIZES.map((size) => {
            if (size + META_BYTES > this.byteLength)
                return undefined;
            const meta = readMetaPage(this.#read(size, META_BYTES), 1);
            return meta?.pageSize === size ? meta : undefined;
        });
        const second = seconds.find((meta) => meta !== undefined);
        // The place of the second one confirms its page size.
        return [second && first?.pageSize !== second.pageSize ? undefined : first, second];
    }
    /**
     * Returns the newest meta page. If the transactions of the two do not follow each other, one of them is damaged: prefers the one
     * whose list of tables was written by its transaction.
     */
    #findNewest(metas) {
        const [newest, older] = metas.toSorted((a, b) => Number(b.transaction - a.transaction));
        if (!newest || !older || areConsecutive(newest.transaction, older.transaction))
            return newest;
        return [newest, older].find((meta) => this.#readRootTransaction(meta) === meta.transaction) ?? newest;
    }
    #readRootTransaction({ main, pageSize }) {
        const at = (main.root ?? 0) * pageSize;
        return at + HEADER_BYTES > this.byteLength ? undefined : this.#read(at, HEADER_BYTES).readBigUInt64LE(8);
    }
    #read(at, length) {
        const end = "the file is truncated: byte";
        if (at + length > this.byteLength)
            throw new PageError(`${end} ${at + length} is past its end`);
        const bytes = Buffer.allocUnsafeSlow(length);
        for (let done = 0; done < length;) {
            const count = readSync(this.#file, bytes, done, length - done, at + done);
            if (count === 0)
                throw new PageError(`${end} ${at + done} is past its end`);
            done += count;
        }
        return bytes;
    }
}
/**
 * Returns true if meta pages with these transactions can belong to one file: each commit replaces the older one. In a file that is new,
 * or that LMDB wrote as a copy, the older one has the transaction 0.
 */
export function areConsecutive(newer, older) {
    return older === 0n || newer === older + 1n;
}
export function readFlags(page) {
    // The upper bits mark pages in the memory of LMDB. They may reach the disk and mean nothing there.
    return page.readUInt16LE(18) & 0x0fff;
}
//# sourceMappingURL=page-file.js.map