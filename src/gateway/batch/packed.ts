import { type Column, int32Column, slices, total } from "./columns.js";
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

/** The tensors of layout `packed` (docs/reference/batch-format.md), from packed parts. */
export function packedColumns(segments: readonly Segment[], rowTensors: RowTensors): Column[] {
  const ofTokens = (name: string, dtype: BatchDtype): Column => ({
    name,
    dtype,
    shape: [total(segments, "tokens")],
    chunks: () => slices(segments, name, "tokens"),
  });
  return [
    ...PER_TOKEN.map(([name, dtype]) => ofTokens(name, dtype)),
    int32Column("cu_seqlens", addStarts(rowLengths(segments))),
    rewardsColumn(segments, "rewards"),
    ...rowTensors.columns("wide"),
    ofTokens("attention_mask", "BOOL"),
    ...rowTensors.columns("bool"),
  ];
}

/** One reward per row. */
export function rewardsColumn(segments: readonly Segment[], name: string): Column {
  return { name, dtype: "F32", shape: [total(segments, "rows")], chunks: () => slices(segments, name, "rows") };
}

/** Tokens of each row. */
export function rowLengths(segments: readonly Segment[]): number[] {
  return segments.flatMap(({ part, rows }) => part.rows.slice(...rows).map(({ length }) => length));
}

/** Returns the start of each of these if they follow each other, and the end of the last. */
export function addStarts(lengths: readonly number[]): Int32Array {
  const starts = new Int32Array(lengths.length + 1);
  lengths.forEach((length, index) => (starts[index + 1] = (starts[index] ?? 0) + length));
  return starts;
}
