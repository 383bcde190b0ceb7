import { type Header, type TensorEntry } from "../../support/safetensors/read-header.js";
import type { TensorValues } from "../../support/safetensors/tensor-file.js";
/** A safetensors file on disk or in memory, of which any part can be read. */
export interface TensorBytes extends AsyncDisposable {
    readonly header: Header;
    /** Returns some bytes of a tensor, in a buffer of their own. `offset` counts from the tensor's first byte. */
    bytes(tensor: TensorEntry, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}
/** Returns a file in memory. */
export declare function tensorsInMemory(file: Uint8Array): TensorBytes;
/** Returns a tensor's description if it has this type; undefined otherwise. */
export declare function findTensor({ header }: TensorBytes, name: string, dtype: ReadableDtype): TensorEntry | undefined;
export type ReadableDtype = "I32" | "F32" | "BOOL";
/** Reads elements [from, to) of a tensor in one read. Elements outside of the tensor are left out. */
export declare function readRange(file: TensorBytes, tensor: TensorEntry, from: number, to: number): Promise<TensorValues>;
/** Reads a whole tensor of one dimension, such as the offsets of rows; undefined if the file has none of this type. */
export declare function readAll(file: TensorBytes, name: string, dtype: ReadableDtype): Promise<TensorValues | undefined>;
