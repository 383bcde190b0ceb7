import { countUnits, int32Column, readSlices, shiftIndices } from "./column.js";
import { rewardsColumn, toStarts } from "./packed-columns.js";
import { readInt32 } from "./part.js";
const PER_TOKEN = [
    ["input_ids", "I32"],
    ["loss_mask", "I32"],
    ["logprobs", "F32"],
    ["versions", "I32"],
    ["position_ids", "I32"],
];
/**
 * Returns the tensors of layout `tree` (docs/reference/batch-format.md), from tree parts. Indices of tokens and nodes are
 * changed to indices of the whole batch.
 */
export function treeColumns(segments, rowTensors) {
    const tokens = [countUnits(segments, "tokens")];
    const nodes = [countUnits(segments, "rows")];
    return [
        ...PER_TOKEN.map(([name, dtype]) => ({
            name,
            dtype,
            shape: tokens,
            chunks: () => readSlices(segments, name, "tokens"),
        })),
        {
            name: "subtree_end",
            dtype: "I32",
            shape: tokens,
            chunks: () => shiftIndices(segments, "subtree_end", "tokens", "tokens"),
        },
        ...offsetColumns(segments),
        {
            name: "node_parents",
            dtype: "I32",
            shape: nodes,
            chunks: () => shiftIndices(segments, "node_parents", "rows", "rows"),
        },
        { name: "node_lengths", dtype: "I32", shape: nodes, chunks: () => readSlices(segments, "node_lengths", "rows") },
        rewardsColumn(segments, "node_rewards"),
        ...rowTensors.columns("wide"),
        ...rowTensors.columns("bool"),
    ];
}
/** Returns `cu_trees` and `node_offsets`. A tree begins at each node without a parent. */
function offsetColumns(segments) {
    const nodeLengths = [];
    const roots = [];
    for (const { part, rows } of segments) {
        const starts = readInt32(part, "node_offsets");
        const parents = readInt32(part, "node_parents");
        for (let node = rows[0]; node < rows[1]; node++) {
            if ((parents[node] ?? -1) < 0)
                roots.push(nodeLengths.length);
            nodeLengths.push((starts[node + 1] ?? 0) - (starts[node] ?? 0));
        }
    }
    const starts = toStarts(nodeLengths);
    const trees = Int32Array.from([...roots, nodeLengths.length], (node) => starts[node] ?? 0);
    return [int32Column("cu_trees", trees), int32Column("node_offsets", starts)];
}
//# sourceMappingURL=tree-columns.js.map