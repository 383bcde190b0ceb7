import type { BatchTokens } from "../../batch-file/batch-tokens.js";
import { readAll, type TensorBytes } from "../../batch-file/tensor-ranges.js";
import type { TensorValues } from "../../support/safetensors/tensor-file.js";
import type { EpisodeLine, TranscriptInteraction } from "../../transcript/format.js";

/** The columns of a batch that describe an episode's interactions. Columns that the file lacks are absent. */
export interface EpisodeTensors {
  readonly values: ReadonlyMap<string, TensorValues>;
  /** Texts of the columns that hold codes. */
  readonly codes: Readonly<Record<string, readonly string[] | undefined>>;
  /** Sessions without any reward. */
  readonly unrewarded: ReadonlySet<string>;
}

const COLUMNS = [
  ["row_parent", "I32"],
  ["row_prompt_tokens", "I32"],
  ["row_finish_reason", "I32"],
  ["row_cause", "I32"],
  ["row_api", "I32"],
  ["row_tag", "I32"],
  ["row_request_kind", "I32"],
  ["row_created_at", "I32"],
  ["row_latency", "F32"],
  ["row_token_exact", "BOOL"],
  ["row_undelivered", "BOOL"],
  ["row_own_reward", "F32"],
  ["row_has_reward", "BOOL"],
  ["row_episode_reward", "F32"],
  ["rewards", "F32"],
  ["node_rewards", "F32"],
  ["node_parents", "I32"],
  ["node_offsets", "I32"],
] as const;

export async function readEpisodeTensors(file: TensorBytes): Promise<EpisodeTensors> {
  const values = new Map<string, TensorValues>();
  for (const [name, dtype] of COLUMNS) {
    const column = await readAll(file, name, dtype);
    if (column) values.set(name, column);
  }
  const { row_codes, rewards_missing } = file.header.metadata;
  return {
    values,
    codes: parseLists(row_codes),
    unrewarded: new Set(parseLists(`{"ids": ${rewards_missing}}`)["ids"]),
  };
}

/** Parses an object of lists of texts; empty if the text is something else. */
function parseLists(text = "{}"): Readonly<Record<string, readonly string[] | undefined>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null) return {};
    const lists = Object.entries(parsed).map(([name, list]) => [name, Array.isArray(list) ? list.map(String) : []]);
    return Object.fromEntries(lists);
  } catch {
    return {};
  }
}

/**
 * Returns an episode from the rows of a batch. It has no messages, and in style `concat` only the last turn of each row.
 *
 * @param position position of the session in the file
 */
export function toEpisode(
  batch: Pick<BatchTokens, "rows" | "length">,
  tensors: EpisodeTensors,
  sessionId: string,
  position: number,
): EpisodeLine {
  const { rows } = batch;
  const own = rows.ofSession(sessionId);
  const places = new Map(own.map((row, index) => [row, index]));
  const interactions = own.map((row, index): TranscriptInteraction => {
    const { read, label } = new RowReader(tensors, row);
    const parent = places.get(read("row_parent") ?? read("node_parents") ?? -1) ?? -1;
    const length = batch.length(row);
    const prompt = Math.min(length, Math.max(0, read("row_prompt_tokens") ?? 0));
    const isExact = read("row_token_exact") === 1;
    const [offset, end] = [read("node_offsets"), tensors.values.get("node_offsets")?.[row + 1]];
    const ownTokens = offset === undefined || end === undefined ? undefined : end - offset;
    const parentLength = parent >= 0 && isExact ? batch.length(own[parent] ?? -1) : 0;
    const shared = Math.max(0, Math.min(prompt, ownTokens === undefined ? parentLength : length - ownTokens));
    const [cause, api, tag, kind] = [label("cause"), label("api"), label("tag"), label("request_kind")];
    const latency = read("row_latency");
    return {
      id: rows.all[row]?.interaction_id ?? "",
      parent: parent < index ? parent : -1,
      kept: 0,
      messages: [],
      answer: { role: "assistant", content: "" },
      finish_reason: label("finish_reason") ?? "unknown",
      created_at: read("row_created_at") ?? 0,
      prompt_tokens: prompt,
      completion_tokens: length - prompt,
      shared_tokens: shared,
      token_exact: isExact || parent < 0,
      reward: toFinite(read("rewards") ?? read("node_rewards")),
      ...(api !== undefined && { api }),
      ...(tag !== undefined && { tag }),
      ...(kind !== undefined && { request_kind: kind }),
      ...(cause !== undefined && { cause }),
      ...(read("row_has_reward") === 1 && { own_reward: toFinite(read("row_own_reward")) }),
      ...(read("row_undelivered") === 1 && { left_out: "undelivered" }),
      ...(latency !== undefined && latency > 0 && Number.isFinite(latency) && { latency }),
    };
  });
  const first = rows.all[own[0] ?? -1];
  const episodeReward = tensors.values.get("row_episode_reward")?.[own[0] ?? -1];
  // The part of the episode's reward that no listed interaction has: the session's, or that of earlier turns of a `concat` row.
  const rest = interactions.reduce((sum, { own_reward: reward = 0 }) => sum - reward, toFinite(episodeReward));
  // A session with the reward 0 differs from one without a reward.
  const isZero = !tensors.unrewarded.has(sessionId) && interactions.every(({ own_reward: own }) => own === undefined);
  return {
    type: "episode",
    session_id: sessionId,
    task: position,
    task_id: first?.task_id ?? sessionId,
    ...(typeof first?.group_id === "string" && { group_id: first.group_id }),
    accepted: true,
    version: 0,
    ...(episodeReward !== undefined && (isZero || Math.abs(rest) > ROUNDING) && { session_reward: rest }),
    interactions,
  };
}

/** The values of one row. */
class RowReader {
  readonly read: (name: string) => number | undefined;
  /** Returns the text of a column that holds codes; undefined if the row has none. */
  readonly label: (column: string) => string | undefined;

  constructor({ values, codes }: EpisodeTensors, row: number) {
    this.read = (name) => values.get(name)?.[row];
    this.label = (column) => codes[column]?.[this.read(`row_${column}`) ?? -1];
  }
}

/** Rewards of columns are float32. */
const ROUNDING = 1e-6;

const toFinite = (value = 0): number => (Number.isFinite(value) ? value : 0);
