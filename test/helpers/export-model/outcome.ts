import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { packageVersion } from "../../../src/support/package-version.js";
import { readSafetensors } from "../safetensors.js";
import { modelBatch } from "./model-batch.js";
import { allDelivered, isLeftOut, type ModelledSession } from "./modelled-session.js";
import { type ModelRefusal, modelRefusal } from "./refusal.js";
import type { ModelBatch } from "./tensors.js";

/** The outcome of an export: a batch, or a refusal. */
export type Outcome = { readonly file: BatchFile } | { readonly refusal: ModelRefusal };

/** A batch as a reader sees it. */
export interface BatchFile {
  /** The metadata in the header. Values that are JSON are parsed. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tensors: ModelBatch["tensors"];
}

export function modelOutcome(sessions: readonly ModelledSession[], options: BatchOptionsInput): Outcome {
  const refusal = modelRefusal(sessions, options);
  if (refusal) return { refusal };
  const counted = options.includeUndelivered ? allDelivered(sessions) : sessions;
  const batch = modelBatch(counted, options);
  return { file: { metadata: buildMetadata(counted, options, batch), tensors: batch.tensors } };
}

function buildMetadata(
  sessions: readonly ModelledSession[],
  options: BatchOptionsInput,
  batch: ModelBatch,
): BatchFile["metadata"] {
  const { style = "individual", layout = "padded", discount = 1, rowTensors = true } = options;
  const { rows } = batch;
  const unrewarded = sessions.filter(
    ({ turns, sessionReward }) => sessionReward === undefined && turns.every((turn) => turn.reward === undefined),
  );
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
    aborted_calls: {},
    ...(rowTensors && rowMetadata(sessions, options, batch)),
  };
}

/** Longer lists are cut to this length. */
const MAX_NAMED_ROOTS = 8;
const MAX_NAMED_ROWS = 64;

function rowMetadata(
  sessions: readonly ModelledSession[],
  { style = "individual", concatReward = "leaf" }: BatchOptionsInput,
  { codes, uncounted }: ModelBatch,
): BatchFile["metadata"] {
  const roots = sessions.flatMap(unrewardedRoots);
  return {
    version: packageVersion(),
    unrewarded_roots: { count: roots.length, first: roots.slice(0, MAX_NAMED_ROOTS) },
    left_out: { undelivered: sessions.flatMap(listLeftOut).length, retried: 0 },
    row_codes: codes,
    ...(style === "concat" && {
      concat_reward: concatReward,
      uncounted_rewards: { rows: uncounted.length, first: uncounted.slice(0, MAX_NAMED_ROWS) },
    }),
  };
}

function listLeftOut({ turns }: ModelledSession): object[] {
  return turns.filter((turn) => isLeftOut(turn, turns));
}

/** Returns the roots of conversation trees without any reward, if the session has no reward either. */
function unrewardedRoots({ sessionId, sessionReward, turns }: ModelledSession): object[] {
  const findRoot = (i: number): number => ((turns[i]?.parent ?? -1) < 0 ? i : findRoot(turns[i]?.parent ?? -1));
  return turns.flatMap((root, i) => {
    const rewarded = turns.some((turn, k) => findRoot(k) === i && turn.reward !== undefined);
    if (root.parent >= 0 || isLeftOut(root, turns) || rewarded || sessionReward !== undefined) return [];
    return [{ session_id: sessionId, interaction_id: root.id }];
  });
}

const JSON_TEXTS = [
  "rows",
  "rewards_missing",
  "incomplete_calls",
  "aborted_calls",
  "unrewarded_roots",
  "left_out",
  "row_codes",
  "uncounted_rewards",
];
/** Metadata that describes the server. */
const ORIGIN = ["model", "model_digest", "config"];
/** Tensors whose values are times. */
export const CLOCK = ["row_created_at", "turn_created_at"];

export function readBatchFile(bytes: Uint8Array): BatchFile {
  const { metadata, tensors } = readSafetensors(bytes);
  const texts = Object.entries(metadata).filter(([key]) => !ORIGIN.includes(key));
  const read = texts.map(([key, text]): [string, unknown] => [key, JSON_TEXTS.includes(key) ? JSON.parse(text) : text]);
  const timeless = Object.entries(tensors).filter(([name]) => !CLOCK.includes(name));
  return { metadata: Object.fromEntries(read), tensors: Object.fromEntries(timeless) as BatchFile["tensors"] };
}
