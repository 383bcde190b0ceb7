import { findMetaDamage } from "./check-meta.js";
import { readFreePages } from "./free-list.js";
import { readTree, TREE_BYTES } from "./meta-page.js";
import { HEADER_BYTES, PageError } from "./page-file.js";
import { BIG_VALUE, TABLE } from "./page-nodes.js";
import { PageSet } from "./page-set.js";
import { comparePlacesByBytes, comparePlacesByNumber, scanPage, } from "./scan-page.js";
/** Number of pages that are checked in one step, which takes a few milliseconds. */
const STEP_PAGES = 200;
const MAX_DEPTH = 32;
/** Flags of a tree that say how keys sort and whether they repeat. */
const ORDER_FLAGS = 0xff;
const NUMBER_KEYS = 0x08;
/**
 * Checks everything that LMDB relies on without a check: the meta pages, all pages with keys, where values are, and the list of free
 * pages. LMDB would end the process at a damaged one. Does not read values, whose checksums are checked when they are used.
 */
export class FileCheck {
    #file;
    /** Why the meta pages are damaged. */
    #damage;
    #pages;
    /** Pages of the tree that is being checked. */
    #found = { branch: 0, leaf: 0, value: 0 };
    #checked = 0;
    #total;
    constructor(file) {
        this.#file = file;
        const pages = Math.floor(file.byteLength / file.pageSize);
        const damage = findMetaDamage(file);
        this.#damage = damage;
        this.#pages = new PageSet(pages, damage === undefined ? file.meta.lastPage : pages);
        this.#total = countKeyPages(file.meta.free) + countKeyPages(file.meta.main);
    }
    /** Number of pages that were checked. */
    get checked() {
        return this.#checked;
    }
    /** Number of pages to check, as far as it is known. */
    get total() {
        return this.#total;
    }
    /** Returns why the file is damaged; undefined if it is intact. */
    *run() {
        try {
            yield* this.#checkAll();
            return undefined;
        }
        catch (error) {
            if (error instanceof PageError)
                return error.message;
            throw error;
        }
    }
    *#checkAll() {
        const { meta } = this.#file;
        if (this.#damage !== undefined)
            throw new PageError(this.#damage);
        this.#pages.use(0, 2, "the file");
        const tables = [];
        yield* this.#checkTree(meta.main, {
            ...TABLE_KIND,
            name: "the list of tables",
            onValue: (value) => tables.push(readTable(value)),
        });
        for (const { tree } of tables)
            this.#total += countKeyPages(tree);
        for (const { name, tree } of tables)
            yield* this.#checkTree(tree, { ...TABLE_KIND, name: `the table ${name}` });
        yield* this.#checkTree(meta.free, { ...FREE_KIND, onValue: (value) => this.#addFree(value) });
        this.#pages.checkEnd();
    }
    *#checkTree(tree, kind) {
        const { root, depth, entries, flags, pages } = tree;
        this.#found = { branch: 0, leaf: 0, value: 0 };
        if ((flags & ORDER_FLAGS) !== kind.orderFlags)
            throw new PageError(`${kind.name} is damaged: it has the flags ${flags}`);
        let found = 0;
        if (root !== undefined) {
            if (depth < 1 || depth > MAX_DEPTH)
                throw new PageError(`${kind.name} is damaged: it has ${depth} levels`);
            this.#pages.use(root, 1, kind.name);
            found = yield* this.#checkPage(root, depth, kind);
        }
        if (found !== entries)
            throw new PageError(`a counter of ${kind.name} is damaged: entries: ${found} instead of ${entries}`);
        for (const part of ["branch", "leaf", "value"]) {
            // LMDB subtracts from these numbers, and computes the size of a copy from them.
            if (this.#found[part] === pages[part])
                continue;
            throw new PageError(`a counter of ${kind.name} is damaged: ${part} pages: ${this.#found[part]} instead of ${pages[part]}`);
        }
    }
    /** Returns the number of entries below the page, whose keys must be from `from` to before `to`. */
    *#checkPage(number, level, kind, from, to) {
        if (++this.#checked % STEP_PAGES === 0)
            yield;
        const page = this.#file.readPage(number);
        this.#found[level === 1 ? "leaf" : "branch"]++;
        const children = [];
        let before = from;
        let entries = 0;
        scanPage(page, number, level === 1, (at, keyEnd, index) => {
            const key = { page, at: at + 8, end: keyEnd };
            // The first key of a branch has no meaning.
            const isOrdered = level === 1 || index > 0;
            if (isOrdered) {
                const order = before ? kind.compare(before, key) : -1;
                const isFirst = before === from;
                if (!(isFirst ? order <= 0 : order < 0))
                    throw new PageError(`page ${number} is damaged: its keys are out of order`);
                before = key;
            }
            entries++;
            if (level > 1)
                children.push({ page: page.readUInt16LE(at + 4) * 2 ** 32 + page.readUInt32LE(at), key });
            else
                this.#addValue({ page, flags: page.readUInt16LE(at + 4), length: page.readUInt32LE(at), keyAt: key.at, at: keyEnd }, kind);
        });
        if (before && to && !(kind.compare(before, to) < 0)) {
            throw new PageError(`page ${number} is damaged: its keys are out of order`);
        }
        if (level === 1)
            return entries;
        if (children.length < kind.minChildren)
            throw new PageError(`page ${number} is damaged: it has one child`);
        entries = 0;
        for (const [i, child] of children.entries()) {
            this.#pages.use(child.page, 1, `page ${number}`);
            const start = i === 0 ? from : child.key;
            entries += yield* this.#checkPage(child.page, level - 1, kind, start, children[i + 1]?.key ?? to);
        }
        return entries;
    }
    #addValue(value, { onValue }) {
        const { page, flags, length, at } = value;
        if ((flags & BIG_VALUE) !== 0) {
            const by = `page ${page.readUInt32LE(0)}`;
            // A value that replaced a longer one in the same commit may have more pages than it needs.
            const count = Number(page.readBigUInt64LE(at + 16));
            if (count * this.#file.pageSize < HEADER_BYTES + length) {
                throw new PageError(`${by} is damaged: a value has ${count} pages, but ${length} bytes`);
            }
            this.#pages.use(Number(page.readBigUInt64LE(at)), count, by);
            this.#found.value += count;
        }
        if (onValue)
            onValue(value);
        else if ((flags & TABLE) !== 0)
            throw new PageError(`page ${page.readUInt32LE(0)} is damaged: it has a table inside another table`);
    }
    /** Adds the pages of an entry of the list of free pages. */
    #addFree({ page, flags, length, at }) {
        const isBig = (flags & BIG_VALUE) !== 0;
        const words = isBig
            ? this.#file.readOverflow(Number(page.readBigUInt64LE(at)), length)
            : page.subarray(at, at + length);
        for (const { first, count } of readFreePages(words, this.#file.meta.lastPage))
            this.#pages.free(first, count);
    }
}
function countKeyPages({ pages }) {
    return pages.branch + pages.leaf;
}
const TABLE_KIND = { name: "a table", orderFlags: 0, compare: comparePlacesByBytes, minChildren: 2 };
const FREE_KIND = {
    name: "the list of free pages",
    orderFlags: NUMBER_KEYS,
    compare: comparePlacesByNumber,
    minChildren: 1,
};
function readTable({ page, flags, length, keyAt, at }) {
    if (flags !== TABLE || length !== TREE_BYTES)
        throw new PageError("the list of tables is damaged");
    // Names may end with a zero byte.
    const name = page.toString("latin1", keyAt, at).replace(/\0$/, "");
    return { name, tree: readTree(page.subarray(at, at + length)) };
}
//# sourceMappingURL=check-file.js.map