import { SafetensorsError } from "../../support/safetensors/errors.js";
/**
 * Reads the tokens of a row of any layout. Reads only this row, because a file may be larger than memory.
 *
 * @param length tokens of the row, from the metadata
 * @throws SafetensorsError if the file lacks a tensor that its layout has
 */
export async function readRowTokens(file, row, length) {
    const places = await findPlaces(file, row, length);
    const [ids, logprobs, lossMask, versions] = await Promise.all([
        gather(file, "input_ids", places, (count) => new Int32Array(count)),
        gather(file, "logprobs", places, (count) => new Float32Array(count)),
        gather(file, "loss_mask", places, (count) => new Int32Array(count)),
        gather(file, "versions", places, (count) => new Int32Array(count)),
    ]);
    return { ids, logprobs, lossMask, versions };
}
async function findPlaces(file, row, length) {
    const has = (name) => file.header.tensors.some((tensor) => tensor.name === name);
    if (has("node_offsets"))
        return findTreePlaces(file, row);
    if (has("cu_seqlens")) {
        const [from = 0, to = 0] = await readInts(file, "cu_seqlens", row, 2);
        return [[from, to]];
    }
    const width = requireTensor(file, "input_ids").shape[1] ?? 0;
    const mask = await file.bytes(requireTensor(file, "attention_mask"), row * width, width);
    const start = row * width + Math.max(0, mask.indexOf(1));
    return [[start, Math.min(start + length, (row + 1) * width)]];
}
/** The row of a node is what its last own token sees; see docs/reference/batch-format.md#tree. */
async function findTreePlaces(file, node) {
    const [from = 0, to = 0] = await readInts(file, "node_offsets", node, 2);
    if (from === to)
        return findParentPlaces(file, node);
    const treeStarts = await readInts(file, "cu_trees", 0, requireTensor(file, "cu_trees").shape[0] ?? 0);
    const start = treeStarts.findLast((each) => each <= from) ?? 0;
    const ends = await readInts(file, "subtree_end", start, to - start);
    const spans = [];
    ends.forEach((end, i) => {
        const at = start + i;
        if (end < to)
            return;
        const last = spans.at(-1);
        if (last?.[1] === at)
            last[1] = at + 1;
        else
            spans.push([at, at + 1]);
    });
    return spans;
}
/** A node without tokens of its own repeats the start of its parent's row. */
async function findParentPlaces(file, node) {
    const [parent = -1] = await readInts(file, "node_parents", node, 1);
    let [left = 0] = await readInts(file, "node_lengths", node, 1);
    if (parent < 0 || parent >= node)
        return [];
    const spans = [];
    for (const [from, to] of await findTreePlaces(file, parent)) {
        if (left <= 0)
            break;
        spans.push([from, Math.min(to, from + left)]);
        left -= to - from;
    }
    return spans;
}
async function gather(file, name, spans, create) {
    const tensor = requireTensor(file, name);
    const values = create(spans.reduce((sum, [from, to]) => sum + to - from, 0));
    const bytes = new Uint8Array(values.buffer);
    let at = 0;
    for (const [from, to] of spans) {
        bytes.set(await file.bytes(tensor, from * VALUE_BYTES, (to - from) * VALUE_BYTES), at);
        at += (to - from) * VALUE_BYTES;
    }
    return values;
}
async function readInts(file, name, from, count) {
    const bytes = await file.bytes(requireTensor(file, name), from * VALUE_BYTES, count * VALUE_BYTES);
    return new Int32Array(bytes.buffer);
}
/** I32 and F32. */
const VALUE_BYTES = 4;
function requireTensor(file, name) {
    const tensor = file.header.tensors.find((each) => each.name === name);
    if (!tensor)
        throw new SafetensorsError(`it has no tensor ${name}`);
    return tensor;
}
//# sourceMappingURL=row-tokens.js.map