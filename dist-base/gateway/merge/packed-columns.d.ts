import { type Column } from "./column.js";
import type { RowTensors } from "./row-tensors.js";
import type { Segment } from "./segments.js";
/** Returns the tensors of layout `packed` (docs/reference/batch-format.md), from packed parts. */
export declare function packedColumns(segments: readonly Segment[], rowTensors: RowTensors): Column[];
/** Returns a column with one reward per row. */
export declare function rewardsColumn(segments: readonly Segment[], name: string): Column;
/** Returns the number of tokens of each row. */
export declare function readRowLengths(segments: readonly Segment[]): number[];
/** Returns the cumulative sums of the lengths, beginning with 0: the start of each row, and the end of the last. */
export declare function toStarts(lengths: readonly number[]): Int32Array;
