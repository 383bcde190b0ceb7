import { CALL_FACTS, FACT_COLUMNS, type NamedColumn } from "../../facts/call-facts.js";
import { SAMPLING_FACTS } from "../../facts/recorded-sampling.js";
import type { NativeRowColumn, RowColumnSource } from "../../native/contract.js";

/** Maximum number of distinct labels in one column of a batch, including the known ones. */
export const MAX_LABELS = 1024;

/** A tensor with one value per row (`row_<name>`), per turn (`turn_<name>`), or both. */
export interface RowColumn extends NativeRowColumn {
  /** The text of docs/reference/batch-format.md, also printed by `rolltape inspect`. */
  readonly meaning: string;
}

type Dtype = NativeRowColumn["dtype"];
type Structural = Exclude<RowColumnSource, "fact" | "label">;

/**
 * Which tensors a column has, and which turn gives a row its value. By default there is one value per row, taken from
 * its last turn.
 */
interface Scope {
  readonly perRow?: boolean;
  readonly perTurn?: boolean;
  readonly ofFirstTurn?: boolean;
  readonly ofBroken?: boolean;
}

const ROWS: Scope = {};
const BOTH: Scope = { perTurn: true };
const FIRST_TURN: Scope = { ofFirstTurn: true };
const BROKEN: Scope = { ofFirstTurn: true, ofBroken: true };
const TURNS: Scope = { perRow: false, perTurn: true };

function structural(name: string, dtype: Dtype, source: Structural, scope: Scope, meaning: string): RowColumn {
  return { ...DEFAULTS, name, dtype, source, meaning, ...scope };
}

/** Columns of facts that are not simply the value of a turn. */
const SPECIAL: Readonly<Record<string, Partial<RowColumn>>> = {
  [CALL_FACTS.cause.json]: { ...BROKEN, perTurn: false },
  [CALL_FACTS.versionsUncertain.json]: { source: "anyFact" },
};

/** Returns the columns of the facts of a kind. A value of a call that was stored without the fact is `none`, as a 32-bit word. */
function factColumns(kind: (column: NamedColumn) => boolean): RowColumn[] {
  return FACT_COLUMNS.filter(kind).map(({ name, dtype, slot, none, meaning, labels }) => ({
    ...DEFAULTS,
    name,
    dtype,
    source: labels ? "label" : "fact",
    slot,
    missing: labels ? 0 : toWord(dtype, none),
    labels: labels ?? [],
    meaning,
    perTurn: true,
    ...SPECIAL[name],
  }));
}

function toWord(dtype: Dtype, value: number): number {
  return new Uint32Array((dtype === "F32" ? Float32Array : Int32Array).of(value).buffer)[0] ?? 0;
}

const DEFAULTS = {
  slot: 0,
  missing: 0,
  ofFirstTurn: false,
  ofBroken: false,
  perRow: true,
  perTurn: false,
  labels: [],
} as const;

/**
 * The columns that describe the rows of a batch, in the order of their tensors. The native core, the readers and
 * the documentation use this list.
 *
 * A row of style `individual` and a node of a tree have the values of their interaction. A row of style `concat` has
 * the values of its last turn, except in columns with `ofFirstTurn`.
 */
export const ROW_COLUMNS: readonly RowColumn[] = [
  structural(
    "prompt_tokens",
    "I32",
    "promptTokens",
    ROWS,
    "Tokens before the first output token that the row trains on.",
  ),
  structural(
    "parent",
    "I32",
    "parentRow",
    ROWS,
    "Index of the first row that holds the parent of the row's first turn; -1: no row of this file does.",
  ),
  structural(
    "compacted_from",
    "I32",
    "compactedFromRow",
    ROWS,
    "Index of the first row that holds the interaction that the row's conversation was compacted from; -1: none, or no row of this file does.",
  ),
  structural("turn", "I32", "turn", BOTH, "Depth in the conversation tree: number of edges to the root."),
  structural("turns", "I32", "turns", ROWS, "Number of turns that the row trains on."),
  structural(
    "forced_tokens",
    "I32",
    "forcedTokens",
    ROWS,
    "Output tokens that a thinking budget forced, to end the reasoning. They are not trained on: `loss_mask` is 0.",
  ),
  structural(
    "session_row",
    "I32",
    "sessionRow",
    ROWS,
    "Position among the rows of its session in the whole export, which are adjacent there; from 0.",
  ),
  structural("session_rows", "I32", "sessionRows", ROWS, "Number of rows of its session in the whole export."),
  structural("episode", "I32", "episode", ROWS, "Index of its session in the tensors `episode_*`."),
  structural(
    "episode_reward",
    "F32",
    "episodeReward",
    ROWS,
    "Reward of the whole session, undiscounted: the session's reward plus the own reward of each interaction. 0 without any.",
  ),
  structural(
    "episode_return",
    "F32",
    "episodeReturn",
    ROWS,
    "The same, discounted from the first turn: own rewards by the turns before them, the session's reward by the turns before the one that completed last.",
  ),
  structural(
    "interaction",
    "I32",
    "interaction",
    BOTH,
    "Index of the interaction in its session. Rows of a session that hold the same turn have the same index there.",
  ),
  structural(
    "min_version",
    "I32",
    "minVersion",
    BOTH,
    "Lowest weight version of the tokens that are trained on; -1: there are none.",
  ),
  structural(
    "max_version",
    "I32",
    "maxVersion",
    BOTH,
    "Highest weight version of the tokens that are trained on; -1: there are none.",
  ),
  structural(
    "weight",
    "F32",
    "turnWeight",
    TURNS,
    "Factor of the turn's loss. With `shared_turns: weight`, 1 / number of rows of the export that hold the turn; else 1.",
  ),
  structural(
    "start",
    "I32",
    "turnStart",
    TURNS,
    "Index in the row of the turn's first output token, padding not counted.",
  ),
  structural(
    "end",
    "I32",
    "turnEnd",
    TURNS,
    "Index in the row after the turn's last output token, padding not counted.",
  ),
  structural("reward", "F32", "reward", TURNS, "Final reward of the turn, after discount."),
  structural(
    "own_reward",
    "F32",
    "ownReward",
    BOTH,
    "Reward that was set for the interaction itself; 0: none was set.",
  ),
  ...factColumns(({ labels }) => labels !== undefined).toSorted((a, b) => a.slot - b.slot),
  ...factColumns(({ labels, dtype }) => !labels && dtype !== "BOOL"),
  structural("has_reward", "BOOL", "hasReward", BOTH, "A reward was set for the interaction itself."),
  {
    ...structural(
      "truncated",
      "BOOL",
      "truncated",
      ROWS,
      "The row was cut at `max_length`, or its last turn reached its token limit.",
    ),
    slot: CALL_FACTS.finishReason.column.slot,
    labels: ["length"],
  },
  structural(
    "uncounted_rewards",
    "BOOL",
    "uncountedRewards",
    ROWS,
    "Earlier turns of the row have own rewards that `rewards` does not count.",
  ),
  structural(
    "token_exact",
    "BOOL",
    "tokenExact",
    { ...FIRST_TURN, perTurn: true },
    "The prompt begins with all tokens of its parent. In `concat` rows: true for all turns but the first. With `shared_turns: first`, the first turn of a row may continue a turn of an earlier row: then true.",
  ),
  structural(
    "undelivered",
    "BOOL",
    "leftOut",
    ROWS,
    "The answer did not reach the agent. Such rows are exported with `include_undelivered` only; nodes of a tree always are.",
  ),
  structural(
    "filtered",
    "BOOL",
    "filtered",
    ROWS,
    "A filter of the export removed the interaction. True only in tree batches; other batches have no row for it.",
  ),
  {
    ...structural(
      "mixed_temperatures",
      "BOOL",
      "mixedFact",
      ROWS,
      "The turns of the row differ in `temperature`: use `turn_temperature`.",
    ),
    slot: SAMPLING_FACTS.temperature.column.slot,
  },
  ...factColumns(({ dtype }) => dtype === "BOOL"),
];
