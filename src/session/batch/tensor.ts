import type { BatchTensorLayout, TensorSpan } from "../../native/contract.js";

/** One tensor of a batch: a view of the block, no copy. BOOL is one byte per element, 0 or 1. */
export type Tensor =
  | { readonly dtype: "I32"; readonly shape: readonly number[]; readonly data: Int32Array }
  | { readonly dtype: "F32"; readonly shape: readonly number[]; readonly data: Float32Array }
  | { readonly dtype: "BOOL"; readonly shape: readonly number[]; readonly data: Uint8Array };

type Tensors<Name extends string> = { readonly [name in Name]: Tensor };
type Common = "input_ids" | "loss_mask" | "logprobs" | "versions";

/** Unless `rowTensors` is false, `row_…` of row-columns.ts; with `turns`, `turn_…` and `cu_turns`. */
type RowTensors = { readonly [name: `row_${string}` | `turn_${string}` | `cu_turn${string}`]: Tensor };

/** The tensors of each layout. `BatchTensorLayout` in src/native/contract.ts says what they hold. */
interface TensorsOf {
  readonly padded: Tensors<Common | "attention_mask" | "rewards"> & RowTensors;
  readonly packed: Tensors<Common | "position_ids" | "attention_mask" | "cu_seqlens" | "rewards"> & RowTensors;
  readonly tree: RowTensors &
    Tensors<
      | Common
      | "position_ids"
      | "subtree_end"
      | "cu_trees"
      | "node_offsets"
      | "node_parents"
      | "node_lengths"
      | "node_rewards"
    >;
}

export type BatchTensors<Layout extends BatchTensorLayout = "padded"> = TensorsOf[Layout];

/** A view of one tensor of a block. */
export function tensorView(bytes: Uint8Array, { dtype, shape, byteOffset, byteLength }: TensorSpan): Tensor {
  const start = bytes.byteOffset + byteOffset;
  switch (dtype) {
    case "I32":
      return { dtype, shape, data: new Int32Array(bytes.buffer, start, byteLength / 4) };
    case "F32":
      return { dtype, shape, data: new Float32Array(bytes.buffer, start, byteLength / 4) };
    case "BOOL":
      return { dtype, shape, data: new Uint8Array(bytes.buffer, start, byteLength) };
  }
}
