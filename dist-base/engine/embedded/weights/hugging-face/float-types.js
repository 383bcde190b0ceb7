import { GGML_TYPE } from "../model-template.js";
export function isFloatType(dtype) {
    return Object.hasOwn(GGML_TYPE, dtype);
}
/** Exponent bits, which are all set only in infinities and NaN. */
const EXPONENT = { F32: 0x7f800000, F16: 0x7c00, BF16: 0x7f80 };
/** Returns true if every number is finite. */
export function areFinite({ buffer, byteOffset, length }, dtype) {
    const exponent = EXPONENT[dtype];
    const isSpecial = (bits) => (bits & exponent) === exponent;
    if (dtype === "F32")
        return !new Uint32Array(buffer, byteOffset, length / 4).some(isSpecial);
    return !new Uint16Array(buffer, byteOffset, length / 2).some(isSpecial);
}
/** Returns the same numbers as 32-bit floats. Each number of the other two types is exactly a 32-bit float. */
export function widen(bytes, dtype) {
    if (dtype === "F32")
        return bytes;
    const from = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    const to = new Uint32Array(from.length);
    if (dtype === "BF16")
        for (let i = 0; i < from.length; i++)
            to[i] = (from[i] ?? 0) << 16;
    else {
        halves ??= Uint32Array.from({ length: 2 ** 16 }, (_, bits) => widenHalf(bits));
        for (let i = 0; i < from.length; i++)
            to[i] = halves[from[i] ?? 0] ?? 0;
    }
    return new Uint8Array(to.buffer);
}
/** The bits of every 16-bit float as a 32-bit float. A table is faster than the arithmetic. */
let halves;
function widenHalf(bits) {
    const exponent = (bits >>> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    const special = fraction ? Number.NaN : Number.POSITIVE_INFINITY;
    const [value] = new Uint32Array(Float32Array.of(exponent === 0x1f ? special : magnitude).buffer);
    return ((value ?? 0) | ((bits & 0x8000) << 16)) >>> 0;
}
//# sourceMappingURL=float-types.js.map