import type { BatchTensorLayout, TensorSpan } from "../../native/contract.js";

/** One tensor of a batch. Its data is a view of the block, not a copy. BOOL has one byte per element, 0 or 1. */
export type Tensor =
  | { readonly dtype: "I32"; readonly shape: readonly number[]; readonly data: Int32Array }
  | { readonly dtype: "F32"; readonly shape: readonly number[]; readonly data: Float32Array }
  | { readonly dtype: "BOOL"; readonly shape: readonly number[]; readonly data: Uint8Array };

/** A tensor of a channel. Offsets are I64. */
export type ChannelTensor =
  | Tensor
  | { readonly dtype: "I64"; readonly shape: readonly number[]; readonly data: BigInt64Array }
  | { readonly dtype: "U16"; readonly shape: readonly number[]; readonly data: Uint16Array }
  | { readonly dtype: "U8"; readonly shape: readonly number[]; readonly data: Uint8Array };

type Tensors<Name extends string> = { readonly [name in Name]: Tensor };
type Common = "input_ids" | "loss_mask" | "logprobs" | "versions";

/** `row_…` (see row-columns.ts) and `episode_…` unless `rowTensors` is false; `turn_…` and `cu_turns` if `turns` is true. */
type RowTensors = {
  readonly [name: `row_${string}` | `episode_${string}` | `turn_${string}` | `cu_turn${string}`]: Tensor;
};

/** The tensors of each layout. `BatchTensorLayout` in src/native/contract describes their content. */
interface LayoutTensors {
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

/** The tensors of a layout, and those of channels by name. */
export type BatchTensors<Layout extends BatchTensorLayout = "padded"> = LayoutTensors[Layout] & {
  readonly [channel: string]: ChannelTensor;
};

/** Returns a view of one tensor of a block. */
export function tensorView(bytes: Uint8Array, { dtype, shape, byteOffset, byteLength }: TensorSpan): ChannelTensor {
  const start = bytes.byteOffset + byteOffset;
  switch (dtype) {
    case "I32":
      return { dtype, shape, data: new Int32Array(bytes.buffer, start, byteLength / 4) };
    case "F32":
      return { dtype, shape, data: new Float32Array(bytes.buffer, start, byteLength / 4) };
    case "I64":
      return { dtype, shape, data: new BigInt64Array(bytes.buffer, start, byteLength / 8) };
    case "U16":
      return { dtype, shape, data: new Uint16Array(bytes.buffer, start, byteLength / 2) };
    case "U8":
      return { dtype, shape, data: new Uint8Array(bytes.buffer, start, byteLength) };
    case "BOOL":
      return { dtype, shape, data: new Uint8Array(bytes.buffer, start, byteLength) };
  }
}
