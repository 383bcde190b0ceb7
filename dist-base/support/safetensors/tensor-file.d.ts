import { type Header, type TensorEntry } from "./read-header.js";
/** Numbers of a tensor. A BOOL is 0 or 1. */
export type TensorValues = Int32Array | Float32Array | Uint8Array;
/** A safetensors file that is read piece by piece, because it may be larger than memory. */
export declare class TensorFile implements AsyncDisposable {
    #private;
    readonly header: Header;
    readonly byteLength: number;
    private constructor();
    /** @throws SafetensorsError, or an error of the file system */
    static open(path: string): Promise<TensorFile>;
    /** Yields the numbers of an I32, F32 or BOOL tensor in pieces. Yields nothing if the file has no such tensor. */
    numbers(name: string): AsyncGenerator<TensorValues>;
    /**
     * Returns all numbers of a one-dimensional tensor with `count` elements; undefined if the file has no such tensor.
     */
    values(name: string, count: number): Promise<TensorValues | undefined>;
    /**
     * Returns some bytes of a tensor of this file.
     *
     * @param offset from the tensor's first byte
     * @throws SafetensorsError if the file has become shorter
     */
    bytes({ name, start }: TensorEntry, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
    [Symbol.asyncDispose](): Promise<void>;
}
