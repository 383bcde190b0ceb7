import { countElements, type Dtype, ELEMENT_BYTES } from "../support/safetensors/dtype.js";
import { type Header, readHeader, type TensorEntry } from "../support/safetensors/read-header.js";
import type { TensorValues } from "../support/safetensors/tensor-file.js";

/** A safetensors file on disk or in memory, of which any part can be read. */
export interface TensorBytes extends AsyncDisposable {
  readonly header: Header;
  /** Returns some bytes of a tensor, in a buffer of their own. `offset` counts from the tensor's first byte. */
  bytes(tensor: TensorEntry, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Returns a file in memory. */
export function tensorsInMemory(file: Uint8Array): TensorBytes {
  return {
    header: readHeader(file),
    // Not `slice`, which does not copy if the file is a Buffer.
    bytes: async ({ start }, offset, length) => new Uint8Array(file.subarray(start + offset, start + offset + length)),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Returns a tensor's description if it has this type; undefined otherwise. */
export function findTensor({ header }: TensorBytes, name: string, dtype: ReadableDtype): TensorEntry | undefined {
  return header.tensors.find((each) => each.name === name && each.dtype === dtype);
}

export type ReadableDtype = "I32" | "F32" | "BOOL";

/** Reads elements [from, to) of a tensor in one read. Elements outside of the tensor are left out. */
export async function readRange(
  file: TensorBytes,
  tensor: TensorEntry,
  from: number,
  to: number,
): Promise<TensorValues> {
  const { buffer } = await readElementBytes(file, tensor, from, to);
  if (tensor.dtype === "I32") return new Int32Array(buffer);
  return tensor.dtype === "F32" ? new Float32Array(buffer) : new Uint8Array(buffer);
}

/** Like {@link readRange}, for a tensor of any dtype: returns the bytes of the elements. */
export async function readElementBytes(
  file: TensorBytes,
  tensor: TensorEntry,
  from: number,
  to: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const size = ELEMENT_BYTES[tensor.dtype as Dtype];
  const [first, end] = [Math.max(0, from), Math.min(to, countElements(tensor.shape))];
  return file.bytes(tensor, first * size, Math.max(0, end - first) * size);
}

/** Reads a whole tensor of one dimension, such as the offsets of rows; undefined if the file has none of this type. */
export async function readAll(
  file: TensorBytes,
  name: string,
  dtype: ReadableDtype,
): Promise<TensorValues | undefined> {
  const tensor = findTensor(file, name, dtype);
  return tensor?.shape.length === 1 ? readRange(file, tensor, 0, countElements(tensor.shape)) : undefined;
}
