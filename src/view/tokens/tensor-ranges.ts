import { countElements, ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import type { TensorEntry } from "../../support/safetensors/read-header.js";
import type { TensorFile, TensorValues } from "../../support/safetensors/tensor-file.js";

/** Returns a tensor's description if it has this type; undefined otherwise. */
export function findTensor({ header }: TensorFile, name: string, dtype: ReadableDtype): TensorEntry | undefined {
  return header.tensors.find((each) => each.name === name && each.dtype === dtype);
}

export type ReadableDtype = "I32" | "F32" | "BOOL";

/** Reads elements [from, to) of a tensor, as one read at their position. Elements outside of the tensor are left out. */
export async function readRange(
  file: TensorFile,
  tensor: TensorEntry,
  from: number,
  to: number,
): Promise<TensorValues> {
  const size = ELEMENT_BYTES[tensor.dtype as ReadableDtype];
  const [first, end] = [Math.max(0, from), Math.min(to, countElements(tensor.shape))];
  const { buffer } = await file.bytes(tensor, first * size, Math.max(0, end - first) * size);
  if (tensor.dtype === "I32") return new Int32Array(buffer);
  return tensor.dtype === "F32" ? new Float32Array(buffer) : new Uint8Array(buffer);
}

/** Reads a whole tensor of one dimension, such as the offsets of rows; undefined if the file has none of this type. */
export async function readAll(file: TensorFile, name: string, dtype: ReadableDtype): Promise<TensorValues | undefined> {
  const tensor = findTensor(file, name, dtype);
  return tensor?.shape.length === 1 ? readRange(file, tensor, 0, tensor.shape[0] ?? 0) : undefined;
}
