import type { NativeBatch, TensorSpan } from "../native/contract.js";
import type { BatchOptions } from "./batch-options.js";
import { type ExportPlan, planExport } from "./plan.js";
import type { Session } from "./session.js";

/** One tensor of a batch: a view of the block, no copy. BOOL is one byte per element, 0 or 1. */
export type Tensor =
  | { readonly dtype: "I32"; readonly shape: readonly number[]; readonly data: Int32Array }
  | { readonly dtype: "F32"; readonly shape: readonly number[]; readonly data: Float32Array }
  | { readonly dtype: "BOOL"; readonly shape: readonly number[]; readonly data: Uint8Array };

/** Names of the tensors of a padded batch; all [B, T] but rewards, which is [B]. */
export type TensorName = "input_ids" | "loss_mask" | "logprobs" | "versions" | "attention_mask" | "rewards";

export interface BatchRow {
  readonly sessionId: string;
  readonly interactionId: string;
  /** Tokens, padding not counted. */
  readonly length: number;
  /** After discount. */
  readonly reward: number;
}

/** A batch in one block of native memory, laid out as safetensors. */
export class Batch {
  readonly rows: readonly BatchRow[];
  readonly tensors: Readonly<Record<TensorName, Tensor>>;
  readonly #native: NativeBatch;

  constructor(native: NativeBatch, rows: readonly BatchRow[]) {
    this.#native = native;
    this.rows = rows;
    this.tensors = Object.fromEntries(native.tensors.map((span) => [span.name, view(native.bytes, span)])) as Record<
      TensorName,
      Tensor
    >;
  }

  /** The whole block as a safetensors file. */
  get bytes(): Uint8Array {
    return this.#native.bytes;
  }

  /** Frees the block and detaches its views. Idempotent. */
  release(): void {
    this.#native.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Plans and packs a padded batch; packing runs off the event loop. */
export async function packBatch(sessions: readonly Session[], options: BatchOptions): Promise<Batch> {
  const plan = planExport(sessions, options);
  const rows = plan.rows.map((row) => ({
    sessionId: row.owner.id,
    interactionId: row.record.id,
    length: row.length,
    reward: row.reward,
  }));
  return new Batch(await plan.native.pack(metadataOf(plan, options)), rows);
}

/** The `__metadata__` of the safetensors header: strings to strings, JSON inside where a value is not text. */
function metadataOf(plan: ExportPlan, { style, discount, layout }: BatchOptions): Record<string, string> {
  const rows = plan.rows.map((row) => ({
    session_id: row.owner.id,
    interaction_id: row.record.id,
    length: row.length,
  }));
  const incomplete = plan.sessions.filter((session) => session.incompleteCalls > 0);
  const rewardsMissing = plan.sessions.filter((session) => session.rewardsMissing).map((session) => session.id);
  return {
    producer: "rolltape",
    layout,
    style,
    discount: String(discount),
    rows: JSON.stringify(rows),
    rewards_missing: JSON.stringify(rewardsMissing),
    incomplete_calls: JSON.stringify(Object.fromEntries(incomplete.map((each) => [each.id, each.incompleteCalls]))),
  };
}

function view(bytes: Uint8Array, { dtype, shape, byteOffset, byteLength }: TensorSpan): Tensor {
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
