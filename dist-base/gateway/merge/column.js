import { ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import { readInt32, requireTensor } from "./part.js";
/** Size of a chunk. It is small enough that creating one does not block the event loop. */
export const CHUNK_BYTES = 1 << 18;
/** Yields the values of each segment without changes, as views of the parts. */
export function* readSlices(segments, name, per) {
    for (const segment of segments) {
        const { dtype, bytes } = requireTensor(segment.part, name);
        const [from, to] = segment[per];
        yield bytes.subarray(from * ELEMENT_BYTES[dtype], to * ELEMENT_BYTES[dtype]);
    }
}
/**
 * Yields int32 values that are indices of rows or tokens of their part, changed to indices of the whole batch. Negative
 * values stand for "none" and stay.
 *
 * @param counts the unit of the indices
 */
export function* shiftIndices(segments, name, per, counts) {
    let offset = 0;
    for (const segment of segments) {
        const [from, to] = segment[per];
        const shift = offset - segment[counts][0];
        const values = readInt32(segment.part, name).subarray(from, to);
        for (let at = 0; at < values.length; at += CHUNK_BYTES / 4) {
            yield toBytes(values.slice(at, at + CHUNK_BYTES / 4).map((value) => (value < 0 ? value : value + shift)));
        }
        offset += segment[counts][1] - segment[counts][0];
    }
}
/** Returns a column of the given values. */
export function int32Column(name, values) {
    return { name, dtype: "I32", shape: [values.length], chunks: () => [toBytes(values)] };
}
export function toBytes({ buffer, byteOffset, byteLength }) {
    return new Uint8Array(buffer, byteOffset, byteLength);
}
/** Returns the number of rows, tokens or turns of all segments. */
export function countUnits(segments, per) {
    return segments.reduce((sum, { [per]: [from, to] }) => sum + to - from, 0);
}
//# sourceMappingURL=column.js.map