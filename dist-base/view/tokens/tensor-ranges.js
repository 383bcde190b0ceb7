import { countElements, ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import { readHeader } from "../../support/safetensors/read-header.js";
/** Returns a file in memory. */
export function tensorsInMemory(file) {
    return {
        header: readHeader(file),
        bytes: async ({ start }, offset, length) => file.slice(start + offset, start + offset + length),
        [Symbol.asyncDispose]: async () => undefined,
    };
}
/** Returns a tensor's description if it has this type; undefined otherwise. */
export function findTensor({ header }, name, dtype) {
    return header.tensors.find((each) => each.name === name && each.dtype === dtype);
}
/** Reads elements [from, to) of a tensor in one read. Elements outside of the tensor are left out. */
export async function readRange(file, tensor, from, to) {
    const size = ELEMENT_BYTES[tensor.dtype];
    const [first, end] = [Math.max(0, from), Math.min(to, countElements(tensor.shape))];
    const { buffer } = await file.bytes(tensor, first * size, Math.max(0, end - first) * size);
    if (tensor.dtype === "I32")
        return new Int32Array(buffer);
    return tensor.dtype === "F32" ? new Float32Array(buffer) : new Uint8Array(buffer);
}
/** Reads a whole tensor of one dimension, such as the offsets of rows; undefined if the file has none of this type. */
export async function readAll(file, name, dtype) {
    const tensor = findTensor(file, name, dtype);
    return tensor?.shape.length === 1 ? readRange(file, tensor, 0, tensor.shape[0] ?? 0) : undefined;
}
//# sourceMappingURL=tensor-ranges.js.map