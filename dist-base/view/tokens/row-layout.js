import { findTensor, readAll, readRange } from "./tensor-ranges.js";
/** Returns the layout of a batch; undefined if the file has no token tensors of a known layout. */
export async function readLayout(file, rows) {
    const ids = findTensor(file, "input_ids", "I32");
    if (!ids)
        return undefined;
    const lengths = rows.all.map(({ length }) => length);
    const [, width] = ids.shape;
    if (ids.shape.length === 2 && width !== undefined)
        return paddedLayout(file, lengths, width);
    const tokens = ids.shape[0] ?? 0;
    const starts = await readAll(file, "cu_seqlens", "I32");
    if (starts)
        return packedLayout(starts, lengths);
    const offsets = await readAll(file, "node_offsets", "I32");
    const parents = await readAll(file, "node_parents", "I32");
    const ends = await readAll(file, "node_lengths", "I32");
    return offsets && parents && ends ? treeLayout({ offsets, parents, ends, tokens }) : undefined;
}
function paddedLayout(file, lengths, width) {
    const mask = findTensor(file, "attention_mask", "BOOL");
    /** Rows are padded on the left if the first token of a shorter row is padding. */
    const readPadding = async (row, length) => {
        if (!mask || length === 0 || length >= width)
            return 0;
        const [isToken] = await readRange(file, mask, row * width, row * width + 1);
        return isToken === 0 ? width - length : 0;
    };
    const length = (row) => Math.min(width, lengths[row] ?? 0);
    return {
        length,
        runs: async (row, from, to) => {
            const start = row * width + (await readPadding(row, length(row)));
            return cut(start, length(row), from, to);
        },
    };
}
function packedLayout(starts, lengths) {
    const length = (row) => Math.max(0, Math.min(lengths[row] ?? 0, (starts[row + 1] ?? 0) - (starts[row] ?? 0)));
    return { length, runs: async (row, from, to) => cut(starts[row] ?? 0, length(row), from, to) };
}
/** Returns the tokens [from, to) of a row whose tokens lie together from `start` on. */
function cut(start, length, from, to) {
    const count = Math.min(to, length) - from;
    return count > 0 ? [{ at: start + from, count }] : [];
}
/** A node's own tokens lie together; those before them are the first tokens of its parent's sequence. */
function treeLayout({ offsets, parents, ends, tokens }) {
    const length = (node) => ends[node] ?? 0;
    const runs = async (row, from, to) => {
        const found = [];
        let end = Math.min(to, length(row));
        // A parent comes before its children, so a damaged file cannot make this loop endless.
        for (let node = row; node >= 0 && end > from;) {
            const [first, last] = [offsets[node] ?? 0, Math.min(tokens, offsets[node + 1] ?? 0)];
            const start = length(node) - (last - first);
            if (end > start) {
                const begin = Math.max(from, start);
                found.unshift({ at: first + begin - start, count: Math.min(end, length(node)) - begin });
                end = begin;
            }
            const parent = parents[node] ?? -1;
            if (parent >= node)
                break;
            node = parent;
        }
        return found.filter(({ at, count }) => at >= 0 && count > 0);
    };
    return { length, runs };
}
//# sourceMappingURL=row-layout.js.map