/** Bytes per element. The format has more types, such as 8-bit floats. Files with them can be listed, but not read. */
export const ELEMENT_BYTES = {
    BOOL: 1,
    U8: 1,
    I8: 1,
    I16: 2,
    U16: 2,
    F16: 2,
    BF16: 2,
    I32: 4,
    U32: 4,
    F32: 4,
    F64: 8,
    I64: 8,
    U64: 8,
};
/** Returns the number of elements of a tensor. */
export function countElements(shape) {
    return shape.reduce((product, extent) => product * extent, 1);
}
//# sourceMappingURL=dtype.js.map