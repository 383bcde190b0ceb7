import { readSafetensors } from "../../helpers/safetensors.js";

/** A token of a row, as an export has it. */
export interface RowToken {
  readonly id: number;
  readonly logprob: number;
  readonly version: number;
}

/** One interaction of a batch of style `individual`. */
export interface Row {
  readonly session: string;
  readonly id: string;
  /** Undefined for the first call of a conversation. */
  readonly parent: string | undefined;
  /** Seed of the request, which is the number of the agent's call. */
  readonly call: number;
  readonly attempt: number;
  readonly maxTokens: number;
  readonly prompt: readonly RowToken[];
  readonly output: readonly RowToken[];
  /** The batch says that the answer did not reach the agent. */
  readonly undelivered: boolean;
  /** The reward that was set for the interaction. */
  readonly ownReward: number | undefined;
}

export interface Batch {
  readonly rows: readonly Row[];
  /** Number of interactions that the export left out. */
  readonly leftOut: number;
}

/** Reads a batch of layout `padded` or `packed`. */
export function readBatch(file: Uint8Array): Batch {
  const { tensors, metadata } = readSafetensors(file);
  const described = JSON.parse(metadata["rows"] ?? "[]") as {
    readonly session_id: string;
    readonly interaction_id: string;
    readonly length: number;
  }[];
  const column = (name: string): readonly number[] => {
    const tensor = tensors[name];
    if (!tensor) throw new Error(`the batch has no ${name}`);
    return tensor.data;
  };
  const [ids, mask, logprobs, versions] = ["input_ids", "loss_mask", "logprobs", "versions"].map(column);
  const width = tensors["input_ids"]?.shape[1];
  const rows = described.map(({ session_id: session, interaction_id: id, length }, row): Row => {
    const from = width === undefined ? (column("cu_seqlens")[row] ?? 0) : row * width;
    const tokens = Array.from({ length }, (_, i) => ({
      id: ids?.[from + i] ?? -1,
      logprob: logprobs?.[from + i] ?? Number.NaN,
      version: versions?.[from + i] ?? -2,
      isOutput: mask?.[from + i] === 1,
    }));
    const value = (name: string) => column(`row_${name}`)[row] ?? -1;
    return {
      session,
      id,
      parent: described[value("parent")]?.interaction_id,
      call: value("seed"),
      attempt: value("attempt"),
      maxTokens: value("max_tokens"),
      prompt: tokens.filter(({ isOutput }) => !isOutput),
      output: tokens.filter(({ isOutput }) => isOutput),
      undelivered: value("undelivered") === 1,
      ownReward: value("has_reward") === 1 ? value("own_reward") : undefined,
    };
  });
  const reasons = JSON.parse(metadata["left_out"] ?? "{}") as Record<string, number>;
  return { rows, leftOut: Object.values(reasons).reduce((sum, count) => sum + count, 0) };
}
