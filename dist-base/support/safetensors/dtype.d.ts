/** Bytes per element. The format has more types, such as 8-bit floats. Files with them can be listed, but not read. */
export declare const ELEMENT_BYTES: {
    readonly BOOL: 1;
    readonly U8: 1;
    readonly I8: 1;
    readonly I16: 2;
    readonly U16: 2;
    readonly F16: 2;
    readonly BF16: 2;
    readonly I32: 4;
    readonly U32: 4;
    readonly F32: 4;
    readonly F64: 8;
    readonly I64: 8;
    readonly U64: 8;
};
export type Dtype = keyof typeof ELEMENT_BYTES;
/** Returns the number of elements of a tensor. */
export declare function countElements(shape: readonly number[]): number;
