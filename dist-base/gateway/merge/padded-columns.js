import { ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import { CHUNK_BYTES, toBytes } from "./column.js";
import { readRowLengths, rewardsColumn } from "./packed-columns.js";
import { requireTensor } from "./part.js";
/** Returns the tensors of layout `padded` (docs/reference/batch-format.md), from packed parts. */
export function paddedColumns(segments, padding, rowTensors) {
    const longest = readRowLengths(segments).reduce((most, length) => Math.max(most, length), 0);
    const width = Math.ceil(longest / padding.pad_to_multiple_of) * padding.pad_to_multiple_of;
    const rows = listRows(segments);
    const side = padding.pad_side;
    const column = (name, dtype, pad) => ({
        name,
        dtype,
        shape: [rows.length, width],
        chunks: () => padRows(rows, { name, dtype, pad, width, side }),
    });
    return [
        column("input_ids", "I32", padding.pad_token_id),
        column("loss_mask", "I32", 0),
        column("logprobs", "F32", 0),
        column("versions", "I32", -1),
        rewardsColumn(segments, "rewards"),
        ...rowTensors.columns("wide"),
        column("attention_mask", "BOOL", 0),
        ...rowTensors.columns("bool"),
    ];
}
function* padRows(rows, column) {
    const size = ELEMENT_BYTES[column.dtype];
    const perChunk = Math.max(1, Math.floor(CHUNK_BYTES / Math.max(1, column.width * size)));
    for (let first = 0; first < rows.length; first += perChunk) {
        const chunkRows = rows.slice(first, first + perChunk);
        const block = createBlock(column, chunkRows.length * column.width);
        chunkRows.forEach(({ part, from, length }, index) => {
            const { bytes } = requireTensor(part, column.name);
            const start = index * column.width + (column.side === "left" ? column.width - length : 0);
            block.set(bytes.subarray(from * size, (from + length) * size), start * size);
        });
        yield block;
    }
}
/** Returns memory that is filled with padding. For `F32` and `BOOL` the padding is always 0. */
function createBlock({ dtype, pad }, elements) {
    if (dtype === "I32")
        return toBytes(new Int32Array(elements).fill(pad));
    return new Uint8Array(elements * ELEMENT_BYTES[dtype]);
}
function listRows(segments) {
    return segments.flatMap(({ part, rows, tokens }) => {
        let from = tokens[0];
        return part.rows.slice(...rows).map(({ length }) => {
            const row = { part, from, length };
            from += length;
            return row;
        });
    });
}
//# sourceMappingURL=padded-columns.js.map