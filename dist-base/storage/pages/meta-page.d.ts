/** A tree of keys and values. */
export interface Tree {
    /** Number of its first page; undefined if the tree is empty. */
    readonly root: number | undefined;
    /** How its keys sort, and whether keys repeat. Flags of the whole file are among those of the tree of free pages. */
    readonly flags: number;
    /** Number of levels. */
    readonly depth: number;
    readonly entries: number;
    readonly pages: TreePages;
}
/** Numbers of the pages of a tree. */
export interface TreePages {
    readonly branch: number;
    readonly leaf: number;
    /** Pages that have only values. */
    readonly value: number;
}
/** A meta page, with which LMDB ends each commit. The two meta pages take turns. */
export interface MetaPage {
    readonly pageSize: number;
    /** Number of the last page that is used. */
    readonly lastPage: number;
    readonly transaction: bigint;
    /** Lists the pages that can be used again. */
    readonly free: Tree;
    /** Has the name of each table with its tree. */
    readonly main: Tree;
}
/**
 * Reads a meta page from bytes that may be damaged. Returns undefined if it is damaged.
 *
 * @param number 0 or 1
 */
export declare function readMetaPage(page: Buffer, number: number): MetaPage | undefined;
/** Reads the description of a tree, as in meta pages and in the list of tables. */
export declare function readTree(bytes: Buffer): Tree;
export declare const TREE_BYTES: 48;
