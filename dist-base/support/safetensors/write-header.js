import { countElements, ELEMENT_BYTES } from "./dtype.js";
import { LENGTH_BYTES } from "./read-header.js";
const ALIGNMENT = 64;
/** The limit of the format. */
export const MAX_HEADER_BYTES = 100_000_000;
/** Returns the size of a tensor's data in bytes. */
export function tensorBytes({ dtype, shape }) {
    return countElements(shape) * ELEMENT_BYTES[dtype];
}
/**
 * Returns the beginning of a safetensors file in the form that the native core writes: length, JSON, and spaces up to a
 * multiple of 64 bytes. The data of the tensors follows in their order, without gaps.
 *
 * @throws RangeError if the header is longer than {@link MAX_HEADER_BYTES}
 */
export function encodeHeader(tensors, metadata) {
    let end = 0;
    const entries = tensors.map((tensor) => {
        const from = end;
        end += tensorBytes(tensor);
        return [tensor.name, { dtype: tensor.dtype, shape: tensor.shape, data_offsets: [from, end] }];
    });
    // Unlike an assignment, this writes a tensor of the name `__proto__` too.
    const content = Object.fromEntries([["__metadata__", metadata], ...entries]);
    const json = Buffer.from(JSON.stringify(content));
    const size = Math.ceil((LENGTH_BYTES + json.length) / ALIGNMENT) * ALIGNMENT;
    if (size - LENGTH_BYTES > MAX_HEADER_BYTES) {
        throw new RangeError(`The header has ${json.length} bytes, but safetensors allows ${MAX_HEADER_BYTES}.`);
    }
    const header = Buffer.alloc(size, " ");
    header.writeBigUInt64LE(BigInt(size - LENGTH_BYTES), 0);
    json.copy(header, LENGTH_BYTES);
    return header;
}
//# sourceMappingURL=write-header.js.map