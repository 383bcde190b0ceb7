import { GGML_TYPE } from "../model-template.js";
/** Types of tensors in safetensors files that can be loaded. */
export type FloatType = keyof typeof GGML_TYPE;
export declare function isFloatType(dtype: string): dtype is FloatType;
/** Returns true if every number is finite. */
export declare function areFinite({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>, dtype: FloatType): boolean;
/** Returns the same numbers as 32-bit floats. Each number of the other two types is exactly a 32-bit float. */
export declare function widen(bytes: Uint8Array<ArrayBuffer>, dtype: FloatType): Uint8Array<ArrayBuffer>;
