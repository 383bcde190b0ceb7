import { FACT_COLUMNS } from "../../../src/facts/call-facts.js";
import { type ModelledSession, sequenceOf, type Turn } from "./modelled-session.js";
import { episodeOf, isExact, type ModelRow } from "./rows.js";
import { bool, f32, i32, type ModelBatch, type ModelTensor } from "./tensors.js";

type Codes = ModelBatch["codes"];

/** The texts that have fixed codes in every batch. */
export const KNOWN_CODES: Codes = {
  finish_reason: ["stop", "length", "tool_calls"],
  cause: [
    "history_rewritten",
    "system_changed",
    "no_answer",
    "tools_changed",
    "template_args_changed",
    "answer_among_new_messages",
    "template_moves_context",
    "system_message_moved",
    "template_refuses",
    "answer_opened_otherwise",
    "no_end_of_turn",
    "rerendered",
  ],
  api: ["chat.completions", "responses", "messages", "generate_content", "completions", "generate"],
  requested_model: [],
  logprob_content: ["temperature", "truncated", "raw", "unknown"],
  dropped_tools: [],
  tag: [],
  request_kind: [],
};

const findLast = ({ chain }: ModelRow): Turn | undefined => chain.at(-1);

/** The calls of these tests differ in their finish reasons, models and tags. */
export function buildCodes(rows: readonly ModelRow[], turns: boolean): Codes {
  const all = [...rows.flatMap((row) => findLast(row) ?? []), ...(turns ? rows.flatMap(({ chain }) => chain) : [])];
  const distinct = (column: string, read: (turn: Turn) => string | undefined) => [
    ...new Set([...(KNOWN_CODES[column] ?? []), ...all.flatMap((turn) => read(turn) ?? [])]),
  ];
  return {
    ...KNOWN_CODES,
    finish_reason: distinct("finish_reason", ({ finishReason }) => finishReason),
    requested_model: distinct("requested_model", ({ model }) => model),
    tag: distinct("tag", ({ tag }) => tag),
  };
}

/** Returns the columns of texts, in which calls of these tests differ. */
function textColumns(prefix: string, turns: readonly (Turn | undefined)[], codes: Codes): Columns {
  const column = (name: string, read: (turn: Turn) => string | undefined) =>
    i32(
      turns.map((turn) => codes[name]?.indexOf((turn && read(turn)) ?? "") ?? -1),
      [turns.length],
    );
  return {
    [`${prefix}finish_reason`]: column("finish_reason", ({ finishReason }) => finishReason),
    [`${prefix}requested_model`]: column("requested_model", ({ model }) => model),
    [`${prefix}tag`]: column("tag", ({ tag }) => tag),
  };
}

const countDepth = (turn: Turn, { turns }: ModelledSession): number => {
  const parent = turns[turn.parent];
  return parent ? 1 + countDepth(parent, { turns, sessionId: "" }) : 0;
};

/** Returns the index of the first row that trains on the parent of the row's first call. */
function parentRow(row: ModelRow, rows: readonly ModelRow[]): number {
  const parent = row.session.turns[row.chain[0]?.parent ?? -1];
  return parent ? rows.findIndex(({ session, chain }) => session === row.session && chain.includes(parent)) : -1;
}

/** Code of the reason why a call's prompt is not what it continues; -1 if it is, or if it continues nothing. */
function findCause(turn: Turn, { turns }: ModelledSession): number {
  if (turn.parent < 0 || isExact(turn, turns)) return -1;
  return KNOWN_CODES["cause"]?.indexOf(turn.continues ? "rerendered" : "history_rewritten") ?? -1;
}

type Columns = Readonly<Record<string, ModelTensor>>;

/** Returns the columns whose values are equal for all calls of these tests, which are recorded without facts. */
function alike(prefix: string, count: number): Columns {
  const same = (make: typeof i32, value: number) => make(Array<number>(count).fill(value), [count]);
  const numbers = FACT_COLUMNS.filter(({ labels, name }) => !labels && !name.startsWith("created_at"));
  const make = { I32: i32, F32: f32, BOOL: bool };
  return {
    ...Object.fromEntries(numbers.map(({ name, dtype, none }) => [prefix + name, same(make[dtype], none)])),
    [`${prefix}api`]: same(i32, 0),
    [`${prefix}logprob_content`]: same(i32, 0),
    [`${prefix}dropped_tools`]: same(i32, -1),
    [`${prefix}request_kind`]: same(i32, -1),
  };
}

/** Returns the lowest or the highest version of the trained tokens at positions [from, to) of a row. */
function findVersion(pick: typeof Math.min, { lossMask, versions }: ModelRow, from = 0, to = versions.length): number {
  const trained = versions.slice(from, to).filter((_, i) => lossMask[from + i] === 1);
  return trained.length === 0 ? -1 : pick(...trained);
}

/** Returns the tensors of the sessions as episodes. */
function episodeTensors(sessions: readonly ModelledSession[], rows: readonly ModelRow[], discount: number): Columns {
  const column = (make: typeof i32, value: (session: ModelledSession, index: number) => number) =>
    make(sessions.map(value), [sessions.length]);
  const groups = [...new Set(sessions.map(({ groupId }, index) => groupId ?? index))];
  return {
    episode_reward: column(f32, (session) => Math.fround(episodeOf(session, discount).reward)),
    episode_return: column(f32, (session) => Math.fround(episodeOf(session, discount).return)),
    episode_has_reward: column(bool, ({ sessionReward, turns }) =>
      Number(sessionReward !== undefined || turns.some(({ reward }) => reward !== undefined)),
    ),
    episode_rows: column(i32, (session) => rows.filter((row) => row.session === session).length),
    episode_group: column(i32, ({ groupId }, index) => groups.indexOf(groupId ?? index)),
  };
}

export function buildRowTensors(
  rows: readonly ModelRow[],
  sessions: readonly ModelledSession[],
  codes: Codes,
  discount: number,
): Columns {
  const column = (make: typeof i32, value: (row: ModelRow) => number) => make(rows.map(value), [rows.length]);
  return {
    ...alike("row_", rows.length),
    ...episodeTensors(sessions, rows, discount),
    row_episode: column(i32, ({ session }) => sessions.indexOf(session)),
    row_prompt_tokens: column(i32, ({ chain, ids }) => Math.min(chain[0]?.prompt.length ?? 0, ids.length)),
    row_parent: column(i32, (row) => parentRow(row, rows)),
    row_turn: column(i32, ({ chain, session }) => (chain.at(-1) ? countDepth(chain.at(-1) as Turn, session) : -1)),
    row_turns: column(i32, ({ chain }) => chain.length),
    row_forced_tokens: column(i32, () => 0),
    row_session_row: column(i32, ({ sessionRow }) => sessionRow),
    row_session_rows: column(i32, ({ sessionRows }) => sessionRows),
    row_episode_reward: column(f32, ({ session }) => Math.fround(episodeOf(session, discount).reward)),
    row_episode_return: column(f32, ({ session }) => Math.fround(episodeOf(session, discount).return)),
    row_interaction: column(i32, (row) => row.session.turns.indexOf(findLast(row) as Turn)),
    row_min_version: column(i32, (row) => findVersion(Math.min, row)),
    row_max_version: column(i32, (row) => findVersion(Math.max, row)),
    row_truncated: column(bool, (row) => Number(row.isCut || findLast(row)?.finishReason === "length")),
    row_own_reward: column(f32, (row) => findLast(row)?.reward ?? 0),
    ...textColumns("row_", rows.map(findLast), codes),
    row_cause: column(i32, ({ chain, session }) => findCause(chain[0] as Turn, session)),
    row_has_reward: column(bool, (row) => (findLast(row)?.reward === undefined ? 0 : 1)),
    row_uncounted_rewards: column(bool, ({ uncounted }) => Number(uncounted)),
    row_token_exact: column(bool, ({ chain, session }) => Number(isExact(chain[0] as Turn, session.turns))),
    row_undelivered: column(bool, ({ marked }) => Number(marked)),
    row_filtered: column(bool, ({ filtered }) => Number(filtered)),
    row_compacted_from: column(i32, () => -1),
    row_mixed_temperatures: column(bool, () => 0),
  };
}

export function buildTurnTensors(rows: readonly ModelRow[], codes: Codes): Columns {
  const all = rows.flatMap((row) =>
    row.chain.map((turn, k) => ({ row, turn, reward: row.finals[k] ?? 0, weight: row.weights[k] ?? 0 })),
  );
  const versionOf = (pick: typeof Math.min, { turn, row }: Entry) =>
    findVersion(pick, row, turn.prompt.length, sequenceOf(turn).length);
  type Entry = (typeof all)[number];
  const column = (make: typeof i32, value: (entry: Entry) => number) => make(all.map(value), [all.length]);
  const starts = rows.reduce<number[]>((sums, { chain }) => [...sums, (sums.at(-1) ?? 0) + chain.length], [0]);
  return {
    ...alike("turn_", all.length),
    cu_turns: i32(starts, [rows.length + 1]),
    turn_turn: column(i32, ({ turn, row }) => countDepth(turn, row.session)),
    turn_interaction: column(i32, ({ turn, row }) => row.session.turns.indexOf(turn)),
    turn_weight: column(f32, ({ weight }) => weight),
    turn_min_version: column(i32, (entry) => versionOf(Math.min, entry)),
    turn_max_version: column(i32, (entry) => versionOf(Math.max, entry)),
    turn_start: column(i32, ({ turn, row }) => Math.min(turn.prompt.length, row.ids.length)),
    turn_end: column(i32, ({ turn, row }) => Math.min(sequenceOf(turn).length, row.ids.length)),
    turn_reward: column(f32, ({ reward }) => Math.fround(reward)),
    turn_own_reward: column(f32, ({ turn }) => turn.reward ?? 0),
    ...textColumns(
      "turn_",
      all.map(({ turn }) => turn),
      codes,
    ),
    turn_has_reward: column(bool, ({ turn }) => (turn.reward === undefined ? 0 : 1)),
    turn_token_exact: column(bool, ({ turn, row }) => Number(isExact(turn, row.session.turns))),
  };
}
