import type { NativeRowColumn, RowColumnSource } from "../native/contract.js";
import { FACTS, type FactName, factSlot, LABELS, type LabelName, labelSlot } from "./recorded-facts.js";

/**
 * How a column of a batch is made from the columns of its parts, one part after the other: values as they are; row indices,
 * counted anew (-1 stays); codes, by the table of the whole batch.
 */
export type MergeRule = "copy" | "rows" | "codes";

/** A tensor with one value per row (`row_<name>`), per turn (`turn_<name>`), or both. */
export interface RowColumn extends NativeRowColumn {
  /** For docs/batch-format.md. */
  readonly meaning: string;
  readonly merge: MergeRule;
}

type Dtype = NativeRowColumn["dtype"];
type Structural = Exclude<RowColumnSource, "fact" | "label">;

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
  const merge = source === "parentRow" ? "rows" : "copy";
  return { ...DEFAULTS, name, dtype, source, meaning, merge, ...scope };
}

function fact(name: FactName, meaning: string): RowColumn {
  const { dtype } = FACTS[name];
  return { ...DEFAULTS, name, dtype, source: "fact", slot: factSlot(name), meaning, merge: "copy", perTurn: true };
}

function label(name: LabelName, meaning: string, scope: Scope = BOTH): RowColumn {
  const labels = LABELS[name].known;
  return {
    ...DEFAULTS,
    name,
    dtype: "I32",
    source: "label",
    slot: labelSlot(name),
    labels,
    meaning,
    merge: "codes",
    ...scope,
  };
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
 * The columns that describe the rows of a batch, in the order of their tensors. The native core, the gateway, the readers and
 * the documentation take them from here.
 *
 * A row of style `individual` and a node of a tree describe their interaction. A row of style `concat` describes its last
 * turn, but for the columns of its first turn.
 */
export const ROW_COLUMNS: readonly RowColumn[] = [
  structural("prompt_tokens", "I32", "promptTokens", ROWS, "Tokens before the first output that the row trains on."),
  structural(
    "parent",
    "I32",
    "parentRow",
    ROWS,
    "The row that holds the parent of the row's first turn; -1: none, or in another shard.",
  ),
  structural("turn", "I32", "turn", BOTH, "Depth in the conversation: edges to its root."),
  structural("turns", "I32", "turns", ROWS, "Turns that the row trains on."),
  structural("start", "I32", "turnStart", TURNS, "Where the turn's output starts in its row, padding not counted."),
  structural("end", "I32", "turnEnd", TURNS, "Where the turn's output ends in its row."),
  structural("reward", "F32", "reward", TURNS, "Reward of the turn after discount."),
  structural("own_reward", "F32", "ownReward", BOTH, "Reward that was set for the interaction itself; 0 if none was."),
  label("finish_reason", "Why the generation ended; `length`: it was cut off."),
  label("cause", "Why the row does not continue its parent's tokens: a cause of docs/prompts.md.", BROKEN),
  label("api", "API of the call."),
  label("requested_model", "`model` of the request."),
  label("logprob_content", "What the recorded log probabilities include."),
  fact("attempt", "How often the client had sent this request before."),
  fact(
    "resumes",
    "How often a weight update cut the generation and it was resumed; penalties begin anew with each part. 0: not cut.",
  ),
  fact("created_at", "When the call completed, in seconds since the epoch; 0: not recorded."),
  fact("latency", "Seconds from the request to the end of the call."),
  fact("temperature", "Divisor of the logits that reproduces `logprobs`; 1 if sampling was greedy."),
  fact("sampling_temperature", "Temperature that the tokens were drawn with; 0: greedy."),
  fact("top_p", "1: off."),
  fact("top_k", "0: off."),
  fact("min_p", "0: off."),
  fact("frequency_penalty", "0: off."),
  fact("presence_penalty", "0: off."),
  fact("max_tokens", "Most output tokens that the engine was allowed; 0: not recorded."),
  fact("seed", "Lower 32 bits of the seed, if `seeded`."),
  fact("seed_high", "Upper 32 bits of the seed, if `seeded`."),
  structural("has_reward", "BOOL", "hasReward", BOTH, "A reward was set for the interaction itself."),
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
    "The prompt begins with all tokens of its parent. In `concat`, true only inside of rows.",
  ),
  structural(
    "undelivered",
    "BOOL",
    "leftOut",
    ROWS,
    "The answer did not reach the agent. Such a row comes with `include_undelivered`, or as a node of a tree that is not trained on.",
  ),
  {
    ...structural(
      "mixed_temperatures",
      "BOOL",
      "mixedFact",
      ROWS,
      "Turns of the row differ in `temperature`: use that of each turn.",
    ),
    slot: factSlot("temperature"),
  },
  fact("greedy", "The most probable token was taken at every step."),
  fact("grammar", "A grammar limited what could be sampled (structured output, enforced tool calls)."),
  fact("seeded", "The request had a seed."),
  fact("sampling_overridden", "The configuration replaced a sampling parameter of the request."),
];
