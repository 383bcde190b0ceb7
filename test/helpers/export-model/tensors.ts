import type { ModelRow } from "./rows.js";

export interface ModelTensor {
  readonly dtype: "I32" | "F32" | "BOOL" | "I64" | "U8";
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

export interface ModelBatch {
  /** The rows, in order. */
  readonly rows: readonly (Pick<ModelRow, "sessionId" | "taskId" | "groupId" | "interactionId" | "reward"> & {
    split: "train";
    length: number;
  })[];
  readonly tensors: Readonly<Record<string, ModelTensor>>;
  /** The metadata `images`; undefined if no row has an image. */
  readonly images: readonly object[] | undefined;
  /** The texts of each label column, in the order of their codes. */
  readonly codes: Readonly<Record<string, readonly string[]>>;
  /** Indices of the rows whose reward leaves out own rewards of earlier turns. */
  readonly uncounted: readonly number[];
}

type Numbers = readonly number[];

const tensor = (dtype: ModelTensor["dtype"]) => (data: Numbers, shape: Numbers) => ({ dtype, shape, data });

export const i32 = tensor("I32");
export const f32 = tensor("F32");
export const bool = tensor("BOOL");
export const i64 = tensor("I64");
export const u8 = tensor("U8");

/** Returns the tensors that every layout has. `lay` puts one property of all rows into the order of the layout. */
export function perToken(lay: (of: (row: ModelRow) => Numbers, padding: number) => Numbers, shape: Numbers, pad = 0) {
  return {
    input_ids: i32(
      lay((row) => row.ids, pad),
      shape,
    ),
    loss_mask: i32(
      lay((row) => row.lossMask, 0),
      shape,
    ),
    logprobs: f32(
      lay((row) => row.logprobs, 0),
      shape,
    ),
    versions: i32(
      lay((row) => row.versions, -1),
      shape,
    ),
  };
}

export function rewardsOf(rows: readonly ModelRow[]): ModelTensor {
  return f32(
    rows.map((row) => Math.fround(row.reward)),
    [rows.length],
  );
}

export function described({
  sessionId,
  taskId,
  groupId,
  interactionId,
  ids,
  reward,
}: ModelRow): ModelBatch["rows"][number] {
  return { sessionId, taskId, groupId, split: "train", interactionId, length: ids.length, reward };
}
