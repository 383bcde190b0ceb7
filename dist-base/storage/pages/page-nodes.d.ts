export declare const BRANCH = 1;
export declare const LEAF = 2;
export declare const NODE_BYTES = 8;
/** Flags of a node of a leaf. */
export declare const BIG_VALUE = 1;
export declare const TABLE = 2;
export interface BranchNode {
    /** Empty for the first node: its page has all keys below the second one. */
    readonly key: Buffer;
    readonly page: number;
}
export interface LeafNode {
    readonly key: Buffer;
    readonly flags: number;
    /** Length of the value. */
    readonly length: number;
    /** The value, or with {@link BIG_VALUE} the number of its first page. */
    readonly data: Buffer;
}
/** @throws PageError if the page is not a branch or is damaged */
export declare function readBranch(page: Buffer, number: number): BranchNode[];
/** @throws PageError if the page is not a leaf or is damaged */
export declare function readLeaf(page: Buffer, number: number): LeafNode[];
