import { type Column } from "./column.js";
import type { RowTensors } from "./row-tensors.js";
import type { Segment } from "./segments.js";
export interface Padding {
    readonly pad_token_id: number;
    readonly pad_side: "left" | "right";
    readonly pad_to_multiple_of: number;
}
/** Returns the tensors of layout `padded` (docs/reference/batch-format.md), from packed parts. */
export declare function paddedColumns(segments: readonly Segment[], padding: Padding, rowTensors: RowTensors): Column[];
