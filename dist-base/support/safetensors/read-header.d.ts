export interface TensorEntry {
    readonly name: string;
    readonly dtype: string;
    readonly shape: readonly number[];
    /** Offset of the first byte in the file, and of the byte after the last. */
    readonly start: number;
    readonly end: number;
}
/** The header of a safetensors file: https://github.com/huggingface/safetensors#format */
export interface Header {
    readonly metadata: Readonly<Record<string, string>>;
    /** In the order of their bytes in the file. */
    readonly tensors: readonly TensorEntry[];
}
/** Size of the number at the start of a file, which is the length of the header. */
export declare const LENGTH_BYTES = 8;
/**
 * Returns the length of the header in bytes.
 *
 * @param start at least the first {@link LENGTH_BYTES} of a file
 * @throws SafetensorsError
 */
export declare function readHeaderLength(start: Uint8Array): number;
/**
 * Reads the header of a file, without reading tensors.
 *
 * @param file a whole file, or its beginning with the complete header
 * @param byteLength size of the whole file
 * @throws SafetensorsError
 */
export declare function readHeader(file: Uint8Array, byteLength?: number): Header;
