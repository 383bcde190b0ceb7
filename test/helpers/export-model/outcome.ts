import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { packageVersion } from "../../../src/support/package-version.js";
import { readSafetensors } from "../safetensors.js";
import { describeFilters, type Filters, findRoot, isKept, isRemoved, losesRewards } from "./filters.js";
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
      split: row.split,
      interaction_id: row.interactionId,
      length: row.length,
    })),
    rewards_missing: unrewarded.map((session) => session.sessionId),
    incomplete_calls: {},
    aborted_calls: {},
    ...filterMetadata(sessions, options),
    ...(batch.images && { images: batch.images }),
    ...(rowTensors && rowMetadata(sessions, options, batch)),
  };
}

function filterMetadata(sessions: readonly ModelledSession[], options: BatchOptionsInput): BatchFile["metadata"] {
  const filters = describeFilters(options);
  if (!filters) return {};
  const removed = sessions.flatMap((session) =>
    session.turns.filter((turn) => !isLeftOut(turn, session.turns) && isRemoved(turn, session, options)),
  );
  const lost = sessions.filter((session) => losesRewards(session, options, options.discount ?? 1));
  return { filters, filtered: String(removed.length), rewards_filtered: lost.map(({ sessionId }) => sessionId) };
}

/** Longer lists are cut to this length. */
const MAX_NAMED_ROOTS = 8;
const MAX_NAMED_ROWS = 64;

function rowMetadata(
  sessions: readonly ModelledSession[],
  options: BatchOptionsInput,
  { codes, uncounted }: ModelBatch,
): BatchFile["metadata"] {
  const { style = "individual", concatReward = "leaf" } = options;
  const roots = sessions.flatMap((session) => unrewardedRoots(session, options));
  return {
    version: packageVersion(),
    unrewarded_roots: { count: roots.length, first: roots.slice(0, MAX_NAMED_ROOTS) },
    left_out: { undelivered: sessions.flatMap(listLeftOut).length, retried: 0 },
    row_codes: codes,
    episodes: sessions.map(({ sessionId, groupId = null }) => ({ session_id: sessionId, group_id: groupId })),
    ...(style === "concat" && {
      concat_reward: concatReward,
      uncounted_rewards: { rows: uncounted.length, first: uncounted.slice(0, MAX_NAMED_ROWS) },
    }),
  };
}

function listLeftOut({ turns }: ModelledSession): object[] {
  return turns.filter((turn) => isLeftOut(turn, turns));
}

/** Returns the roots of conversation trees that have rows and no reward, if the session has no reward either. */
function unrewardedRoots(session: ModelledSession, filters: Filters): object[] {
  const { sessionId, sessionReward, turns } = session;
  return turns.flatMap((root, i) => {
    const tree = turns.filter((_, k) => findRoot(k, turns) === i);
    const hasRows = tree.some((turn) => isKept(turn, session, filters));
    const isRewarded = sessionReward !== undefined || tree.some(({ reward }) => reward !== undefined);
    return hasRows && !isRewarded ? [{ session_id: sessionId, interaction_id: root.id }] : [];
  });
}

const JSON_TEXTS = [
  "filters",
  "images",
  "rewards_filtered",
  "rows",
  "rewards_missing",
  "incomplete_calls",
  "aborted_calls",
  "unrewarded_roots",
  "left_out",
  "row_codes",
  "episodes",
  "uncounted_rewards",
];
/** Metadata that describes the server. */
const ORIGIN = ["model", "model_digest", "config"];
/** Tensors whose values are times. */
export const CLOCK = ["created_at", "created_at_ms"].flatMap((name) => [`row_${name}`, `turn_${name}`]);

export function readBatchFile(bytes: Uint8Array): BatchFile {
  const { metadata, tensors } = readSafetensors(bytes);
  const texts = Object.entries(metadata).filter(([key]) => !ORIGIN.includes(key));
  const read = texts.map(([key, text]): [string, unknown] => [key, JSON_TEXTS.includes(key) ? JSON.parse(text) : text]);
  const timeless = Object.entries(tensors).filter(([name]) => !CLOCK.includes(name));
  return { metadata: Object.fromEntries(read), tensors: Object.fromEntries(timeless) as BatchFile["tensors"] };
}
