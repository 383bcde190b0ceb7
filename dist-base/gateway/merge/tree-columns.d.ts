import { type Column } from "./column.js";
import type { RowTensors } from "./row-tensors.js";
import type { Segment } from "./segments.js";
/**
 * Returns the tensors of layout `tree` (docs/reference/batch-format.md), from tree parts. Indices of tokens and nodes are
 * changed to indices of the whole batch.
 */
export declare function treeColumns(segments: readonly Segment[], rowTensors: RowTensors): Column[];
