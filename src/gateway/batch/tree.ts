import { type Column, int32Column, shifted, slices, total } from "./columns.js";
import { addStarts, rewardsColumn } from "./packed.js";
import { type BatchDtype, int32Of } from "./part.js";
import type { RowTensors } from "./row-tensors.js";
import type { Segment } from "./segments.js";

const PER_TOKEN: readonly (readonly [string, BatchDtype])[] = [
  ["input_ids", "I32"],
  ["loss_mask", "I32"],
  ["logprobs", "F32"],
  ["versions", "I32"],
  ["position_ids", "I32"],
];

/** The tensors of layout `tree` (docs/reference/batch-format.md), from tree parts: what counts tokens or nodes is counted anew. */
export function treeColumns(segments: readonly Segment[], rowTensors: RowTensors): Column[] {
  const tokens = [total(segments, "tokens")];
  const nodes = [total(segments, "rows")];
  return [
    ...PER_TOKEN.map(([name, dtype]) => ({
      name,
      dtype,
      shape: tokens,
      chunks: () => slices(segments, name, "tokens"),
    })),
    {
      name: "subtree_end",
      dtype: "I32",
      shape: tokens,
      chunks: () => shifted(segments, "subtree_end", "tokens", "tokens"),
    },
    ...offsets(segments),
    {
      name: "node_parents",
      dtype: "I32",
      shape: nodes,
      chunks: () => shifted(segments, "node_parents", "rows", "rows"),
    },
    { name: "node_lengths", dtype: "I32", shape: nodes, chunks: () => slices(segments, "node_lengths", "rows") },
    rewardsColumn(segments, "node_rewards"),
    ...rowTensors.columns("wide"),
    ...rowTensors.columns("bool"),
  ];
}

/** `cu_trees` and `node_offsets`: a tree begins where a node without a parent does. */
function offsets(segments: readonly Segment[]): Column[] {
  const own: number[] = [];
  const roots: number[] = [];
  for (const { part, rows } of segments) {
    const starts = int32Of(part, "node_offsets");
    const parents = int32Of(part, "node_parents");
    for (let node = rows[0]; node < rows[1]; node++) {
      if ((parents[node] ?? -1) < 0) roots.push(own.length);
      own.push((starts[node + 1] ?? 0) - (starts[node] ?? 0));
    }
  }
  const starts = addStarts(own);
  const trees = Int32Array.from([...roots, own.length], (node) => starts[node] ?? 0);
  return [int32Column("cu_trees", trees), int32Column("node_offsets", starts)];
}
