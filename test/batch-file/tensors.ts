import { type TensorBytes, tensorsInMemory } from "../../src/batch-file/tensor-ranges.js";
import type { Dtype } from "../../src/support/safetensors/dtype.js";
import { encodeHeader } from "../../src/support/safetensors/write-header.js";

interface Tensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

const ARRAYS = {
  I32: Int32Array,
  F32: Float32Array,
  U16: Uint16Array,
  U8: Uint8Array,
  BOOL: Uint8Array,
  BF16: Uint16Array,
} as const;

/** Returns a tensor, by default of one dimension. */
export function tensor(
  dtype: keyof typeof ARRAYS | "I64",
  values: readonly number[],
  shape: readonly number[] = [values.length],
): Tensor {
  const { buffer } = dtype === "I64" ? BigInt64Array.from(values, BigInt) : ARRAYS[dtype].from(values);
  return { dtype, shape, bytes: new Uint8Array(buffer) };
}

/** Returns a safetensors file. */
export function encodeTensors(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const specs = Object.entries(tensors).map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
  return Buffer.concat([encodeHeader(specs, metadata), ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

/** Opens a safetensors file in memory. */
export function openTensors(...file: Parameters<typeof encodeTensors>): TensorBytes {
  return tensorsInMemory(encodeTensors(...file));
}

/** Returns the metadata `rows` of rows with these lengths. */
export function rowsOf(lengths: readonly number[]): string {
  return JSON.stringify(lengths.map((length, i) => ({ session_id: `s-${i}`, interaction_id: `i-${i}`, length })));
}
