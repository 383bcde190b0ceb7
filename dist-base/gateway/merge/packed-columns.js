import { countUnits, int32Column, readSlices } from "./column.js";
const PER_TOKEN = [
    ["input_ids", "I32"],
    ["loss_mask", "I32"],
    ["logprobs", "F32"],
    ["versions", "I32"],
    ["position_ids", "I32"],
];
/** Returns the tensors of layout `packed` (docs/reference/batch-format.md), from packed parts. */
export function packedColumns(segments, rowTensors) {
    const tokenColumn = (name, dtype) => ({
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
export function rewardsColumn(segments, name) {
    return {
        name,
        dtype: "F32",
        shape: [countUnits(segments, "rows")],
        chunks: () => readSlices(segments, name, "rows"),
    };
}
/** Returns the number of tokens of each row. */
export function readRowLengths(segments) {
    return segments.flatMap(({ part, rows }) => part.rows.slice(...rows).map(({ length }) => length));
}
/** Returns the cumulative sums of the lengths, beginning with 0: the start of each row, and the end of the last. */
export function toStarts(lengths) {
    const starts = new Int32Array(lengths.length + 1);
    lengths.forEach((length, index) => (starts[index + 1] = (starts[index] ?? 0) + length));
    return starts;
}
//# sourceMappingURL=packed-columns.js.map