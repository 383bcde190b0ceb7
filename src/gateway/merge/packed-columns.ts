import { type Column, countUnits, int32Column, readSlices } from "./column.js";
import type { BatchDtype } from "./part.js";
import type { RowTensors } from "./row-tensors.js";
import type { Segment } from "./segments.js";

const PER_TOKEN: readonly (readonly [string, BatchDtype])[] = [
  ["input_ids", "I32"],
  ["loss_mask", "I32"],
  ["logprobs", "F32"],
  ["versions", "I32"],
  ["position_ids", "I32"],
];

/** Returns the tensors of layout `packed` (docs/reference/batch-format.md), from packed parts. */
export function packedColumns(segments: readonly Segment[], rowTensors: RowTensors): Column[] {
  const tokenColumn = (name: string, dtype: BatchDtype): Column => ({
    name,
    dtype,
    shape: [countUnits(segments, "tokens")],
    chunks: () => readSlices(segments, name, "tokens"),
  });
  return [
    ...PER_TOKEN.map(([name, dtype]) => tokenColumn(name, dtype)),
    int32Column("cu_seqlens", toStarts(readRowLengths(segments))),
    rewardsColumn(segments, "rewards"),
    ...rowTensors.columns("wide"),
    tokenColumn("attention_mask", "BOOL"),
    ...rowTensors.columns("bool"),
  ];
}

/** Returns a column with one reward per row. */
export function rewardsColumn(segments: readonly Segment[], name: string): Column {
  return {
    name,
    dtype: "F32",
    shape: [countUnits(segments, "rows")],
    chunks: () => readSlices(segments, name, "rows"),
  };
}

/** Returns the number of tokens of each row. */
export function readRowLengths(segments: readonly Segment[]): number[] {
  return segments.flatMap(({ part, rows }) => part.rows.slice(...rows).map(({ length }) => length));
}

/** Returns the cumulative sums of the lengths, beginning with 0: the start of each row, and the end of the last. */
export function toStarts(lengths: readonly number[]): Int32Array {
  const starts = new Int32Array(lengths.length + 1);
  lengths.forEach((length, index) => (starts[index + 1] = (starts[index] ?? 0) + length));
  return starts;
}
