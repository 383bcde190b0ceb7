import type { NativeRowColumn, RowColumnSource } from "../../native/contract.js";
import {
  FACTS,
  type FactName,
  factSlot,
  LABELS,
  type LabelName,
  labelSlot,
  NO_BUDGET,
  NOT_RECORDED,
} from "../encode-facts.js";

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

/** The bits of 1 as F32. */
const FLOAT_ONE = 0x3f800000;

/** @param missing the value of interactions that an earlier version recorded without the fact, as a 32-bit word */
function fact(name: FactName, meaning: string, missing = 0): RowColumn {
  const { dtype } = FACTS[name];
  const slot = factSlot(name);
  return { ...DEFAULTS, name, dtype, source: "fact", slot, missing, meaning, perTurn: true };
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
  label("finish_reason", "Why the generation ended; `length`: it reached its token limit."),
  label(
    "cause",
    "Why the prompt does not begin with all tokens of its parent: a cause of docs/explanation/prompts.md.",
    BROKEN,
  ),
  label("api", "API through which the call came."),
  label("requested_model", "Field `model` of the request."),
  label("logprob_content", "What the recorded log probabilities include."),
  label("dropped_tools", "Types of the server-side tools that the configuration left out of the prompt."),
  label("tag", "Header `x-rolltape-tag` of the request."),
  label("request_kind", "Kind of the call that the agent program reports."),
  fact("tools", "Number of tools that the prompt showed; -1: not recorded.", NOT_RECORDED >>> 0),
  fact(
    "placeholders",
    "Number of images, files and audio parts of the conversation that the prompt shows as `[image]`, `[file]` or `[audio]`.",
  ),
  fact("choice", "Index of the answer among the `choices` of its call."),
  fact("choices", "Number of answers that the call asked for (`n`, `candidateCount`).", 1),
  fact("attempt", "How often the client had sent this request before, as its SDK reports."),
  fact(
    "resumes",
    "How often a weight update cut the generation, which was then resumed. Penalties start from zero after each cut.",
  ),
  fact("created_at", "When the call completed, in seconds since the Unix epoch."),
  fact("created_at_ms", "Milliseconds after `created_at`, 0 to 999."),
  fact("latency", "Seconds from the request to the end of the call; 0: not recorded."),
  fact("temperature", "Divisor of the logits that reproduces `logprobs`; 1 if sampling was greedy."),
  fact("sampling_temperature", "Temperature that the tokens were drawn with; 0: greedy."),
  fact("top_p", "Nucleus sampling; 1: off."),
  fact("top_k", "Top-k sampling; 0: off."),
  fact("min_p", "Min-p sampling; 0: off."),
  fact("frequency_penalty", "0: off."),
  fact("presence_penalty", "0: off."),
  fact("repetition_penalty", "1: off.", FLOAT_ONE),
  fact("min_tokens", "Number of output tokens before which stop tokens were not sampled; 0: off."),
  fact(
    "thinking_budget",
    "Limit of reasoning tokens that the engine enforced: at the limit, it forces the end of the reasoning; -1: none.",
    NO_BUDGET >>> 0,
  ),
  fact("max_tokens", "Limit of output tokens that was sent to the engine; 0: not recorded."),
  fact("seed", "Lower 32 bits of the seed, if `seeded`."),
  fact("seed_high", "Upper 32 bits of the seed, if `seeded`."),
  structural("has_reward", "BOOL", "hasReward", BOTH, "A reward was set for the interaction itself."),
  {
    ...structural(
      "truncated",
      "BOOL",
      "truncated",
      ROWS,
      "The row was cut at `max_length`, or its last turn reached its token limit.",
    ),
    slot: labelSlot("finish_reason"),
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
    slot: factSlot("temperature"),
  },
  {
    ...structural(
      "versions_uncertain",
      "BOOL",
      "anyFact",
      BOTH,
      "Weights changed during the generation of the turn, or of a turn of the row, and the versions of some tokens are not certain.",
    ),
    slot: factSlot("versions_uncertain"),
  },
  fact(
    "extended",
    "The prompt adds text to its parent's answer, whose tokens it continues. The added text is not trained on.",
  ),
  fact("greedy", "The most probable token was taken at every step."),
  fact("ignore_eos", "The model's own stop tokens did not end the output."),
  fact("logit_bias", "The request changed the logits of tokens."),
  fact("grammar", "A grammar limited what could be sampled (structured output, enforced tool calls)."),
  fact("seeded", "The engine sampled with a seed of the request."),
  fact("sampling_overridden", "The configuration replaced a sampling parameter of the request."),
];
