import type { NativeRowColumn } from "../../native/contract.js";
/** Maximum number of distinct labels in one column of a batch, including the known ones. */
export declare const MAX_LABELS = 1024;
/**
 * How a gateway joins the columns of several workers' batches into one.
 *
 * - `copy`: values stay as they are.
 * - `rows`: values are row indices; they are shifted to the rows of the joined batch, and -1 stays.
 * - `codes`: values are codes; they are translated to the codes of the joined batch.
 */
export type MergeRule = "copy" | "rows" | "codes";
/** A tensor with one value per row (`row_<name>`), per turn (`turn_<name>`), or both. */
export interface RowColumn extends NativeRowColumn {
    /** The text of docs/reference/batch-format.md, also printed by `rolltape inspect`. */
    readonly meaning: string;
    readonly merge: MergeRule;
}
/**
 * The columns that describe the rows of a batch, in the order of their tensors. The native core, the gateway, the
 * readers and the documentation use this list.
 *
 * A row of style `individual` and a node of a tree have the values of their interaction. A row of style `concat` has
 * the values of its last turn, except in columns with `ofFirstTurn`.
 */
export declare const ROW_COLUMNS: readonly RowColumn[];
