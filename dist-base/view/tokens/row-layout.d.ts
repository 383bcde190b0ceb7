import type { BatchRows } from "./batch-rows.js";
import { type TensorBytes } from "./tensor-ranges.js";
/** Tokens of a sequence that lie together in the token tensors. */
export interface TokenRun {
    /** Index of the first token in the flat token tensors. */
    readonly at: number;
    readonly count: number;
}
/** Finds the tokens of rows in the token tensors of a batch. */
export interface RowLayout {
    /**
     * Returns where tokens [from, to) of the sequence of a row lie, in order. Positions count from the start of the sequence,
     * which for a node of a tree begins at the root. Tokens that the row does not have are left out.
     */
    runs(row: number, from: number, to: number): Promise<readonly TokenRun[]>;
    /** Returns the number of tokens of the row's sequence. */
    length(row: number): number;
}
/** Returns the layout of a batch; undefined if the file has no token tensors of a known layout. */
export declare function readLayout(file: TensorBytes, rows: BatchRows): Promise<RowLayout | undefined>;
