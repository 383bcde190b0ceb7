import type { BatchOptionsInput } from "../../../src/session/batch-options.js";
import { readSafetensors } from "../safetensors.js";
import { modelBatch } from "./model-batch.js";
import type { ModelledSession } from "./modelled-session.js";
import { type ModelRefusal, modelRefusal } from "./refusal.js";
import type { ModelBatch } from "./tensors.js";

/** What comes of asking for a batch. */
export type Outcome = { readonly file: BatchFile } | { readonly refusal: ModelRefusal };

/** A batch as its reader finds it. */
export interface BatchFile {
  /** The texts of the header; those that are JSON, read. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tensors: ModelBatch["tensors"];
}

export function modelOutcome(sessions: readonly ModelledSession[], options: BatchOptionsInput): Outcome {
  const refusal = modelRefusal(sessions, options);
  if (refusal) return { refusal };
  const { rows, tensors } = modelBatch(sessions, options);
  return { file: { metadata: metadataOf(sessions, options, rows), tensors } };
}

function metadataOf(
  sessions: readonly ModelledSession[],
  { style = "individual", layout = "padded", discount = 1 }: BatchOptionsInput,
  rows: ModelBatch["rows"],
): BatchFile["metadata"] {
  const unrewarded = sessions.filter(({ turns }) => turns.every((turn) => turn.reward === undefined));
  return {
    producer: "rolltape",
    style,
    layout,
    discount: String(discount),
    rows: rows.map((row) => ({
      session_id: row.sessionId,
      task_id: row.taskId,
      group_id: row.groupId,
      interaction_id: row.interactionId,
      length: row.length,
    })),
    rewards_missing: unrewarded.map((session) => session.sessionId),
    incomplete_calls: {},
  };
}

const JSON_TEXTS = ["rows", "rewards_missing", "incomplete_calls"];

export function readBatchFile(bytes: Uint8Array): BatchFile {
  const { metadata, tensors } = readSafetensors(bytes);
  const read = Object.entries(metadata).map(([key, text]): [string, unknown] => [
    key,
    JSON_TEXTS.includes(key) ? JSON.parse(text) : text,
  ]);
  return { metadata: Object.fromEntries(read), tensors: tensors as BatchFile["tensors"] };
}
