import { type Dtype } from "./dtype.js";
/** A tensor of a file to be written. */
export interface TensorSpec {
    readonly name: string;
    readonly dtype: Dtype;
    readonly shape: readonly number[];
}
/** The limit of the format. */
export declare const MAX_HEADER_BYTES = 100000000;
/** Returns the size of a tensor's data in bytes. */
export declare function tensorBytes({ dtype, shape }: TensorSpec): number;
/**
 * Returns the beginning of a safetensors file in the form that the native core writes: length, JSON, and spaces up to a
 * multiple of 64 bytes. The data of the tensors follows in their order, without gaps.
 *
 * @throws RangeError if the header is longer than {@link MAX_HEADER_BYTES}
 */
export declare function encodeHeader(tensors: readonly TensorSpec[], metadata: Readonly<Record<string, string>>): Buffer;
