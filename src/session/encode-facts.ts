import { DEFAULT_SAMPLING, type RecordedSampling } from "../facts/recorded-sampling.js";
import { firstBytes } from "./first-bytes.js";
import type { Api, CallFacts } from "./recorded-interaction.js";

/**
 * The facts of a call that fill the row columns of a batch.
 *
 * Native memory keeps them next to the tokens: numbers and flags as 32-bit words ({@link FACTS}), recurring texts as
 * labels ({@link LABELS}). A row column refers to its fact or label by slot.
 */
export interface RecordedCall extends CallFacts {
  readonly api: Api;
  readonly finishReason: string;
  /** Milliseconds since the epoch, when the call completed. */
  readonly createdAt: number;
}

type ReadFact = (sampling: RecordedSampling, call: RecordedCall) => number;

interface Fact {
  readonly dtype: "I32" | "F32" | "BOOL";
  readonly read: ReadFact;
}

const i32 = (read: ReadFact): Fact => ({ dtype: "I32", read });
const f32 = (read: ReadFact): Fact => ({ dtype: "F32", read });
const bool = (read: (...from: Parameters<ReadFact>) => boolean): Fact => ({
  dtype: "BOOL",
  read: (...from) => Number(read(...from)),
});

const TWO_TO_32 = 2 ** 32;
const MAX_INT32 = 2 ** 31 - 1;

/** The value of a call whose reasoning had no enforced limit. */
export const NO_BUDGET = -1;

/** The value of a count that is not known. */
export const NOT_RECORDED = -1;

/** Facts by name, in the order of their slots. Add new facts at the end: calls that were stored earlier have no value for them. */
export const FACTS = {
  attempt: i32((_, { attempt = 0 }) => Math.min(attempt, MAX_INT32)),
  resumes: i32((_, { resumes = 0 }) => Math.min(resumes, MAX_INT32)),
  created_at: i32((_, { createdAt }) => Math.floor(createdAt / 1000)),
  latency: f32((_, { startedAt, createdAt }) => (startedAt === undefined ? 0 : (createdAt - startedAt) / 1000)),
  temperature: f32(({ temperature }) => temperature),
  sampling_temperature: f32(({ samplingTemperature }) => samplingTemperature),
  top_p: f32(({ topP }) => topP),
  top_k: i32(({ topK }) => topK),
  min_p: f32(({ minP }) => minP),
  frequency_penalty: f32(({ frequencyPenalty }) => frequencyPenalty),
  presence_penalty: f32(({ presencePenalty }) => presencePenalty),
  max_tokens: i32(({ maxTokens }) => maxTokens),
  seed: i32(({ seed = 0 }) => seed),
  seed_high: i32(({ seed = 0 }) => Math.floor(seed / TWO_TO_32)),
  greedy: bool(({ greedy }) => greedy),
  grammar: bool(({ grammar }) => grammar),
  seeded: bool(({ seed }) => seed !== undefined),
  sampling_overridden: bool(({ overridden }) => overridden),
  tools: i32((_, { toolCount = NOT_RECORDED }) => toolCount),
  placeholders: i32((_, { placeholders = 0 }) => Math.min(placeholders, MAX_INT32)),
  repetition_penalty: f32(({ repetitionPenalty }) => repetitionPenalty),
  min_tokens: i32(({ minTokens }) => minTokens),
  ignore_eos: bool(({ ignoreEos }) => ignoreEos),
  logit_bias: bool(({ logitBias }) => logitBias),
  choice: i32((_, { choice = 0 }) => choice),
  choices: i32((_, { choices = 1 }) => choices),
  thinking_budget: i32(({ thinkingBudget = NO_BUDGET }) => thinkingBudget),
  created_at_ms: i32((_, { createdAt }) => Math.floor(createdAt) % 1000),
  versions_uncertain: bool((_, { versionsUncertain = false }) => versionsUncertain),
  extended: bool((_, { extended = false }) => extended),
} as const satisfies Readonly<Record<string, Fact>>;

export type FactName = keyof typeof FACTS;

const FACT_LIST: readonly Fact[] = Object.values(FACTS);

/** Returns the position of a fact among the words of an interaction. */
export function factSlot(name: FactName): number {
  return Object.keys(FACTS).indexOf(name);
}

/** Reused by every call, because a new array per call would be memory outside V8's heap. Native memory copies it. */
const words = new Uint32Array(FACT_LIST.length);
/** Float32 view of {@link words}. */
const floats = new Float32Array(words.buffer);

/** Returns one word per fact, with the bits of the fact's dtype; BOOL is 0 or 1. The next call of this function overwrites them. */
export function encodeFacts(call: RecordedCall): Uint32Array {
  const sampling = call.sampling ?? DEFAULT_SAMPLING;
  FACT_LIST.forEach(({ dtype, read }, slot) => {
    const target = dtype === "F32" ? floats : words;
    target[slot] = read(sampling, call);
  });
  return words;
}

/** @param cause why the prompt does not continue its parent's tokens, if it does not */
type ReadLabel = (call: RecordedCall, cause: string | undefined) => string | undefined;

/**
 * Labels by column, in the order of their slots. Stored sessions have the labels by slot, so add new ones at the end. In every
 * batch, the known texts of a column have the codes 0, 1, 2, ….
 */
export const LABELS = {
  finish_reason: { known: ["stop", "length", "tool_calls"], read: ({ finishReason }) => finishReason },
  cause: {
    known: [
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
    read: (_, cause) => cause,
  },
  api: { known: ["chat.completions", "responses", "messages", "generate_content"], read: ({ api }) => api },
  requested_model: { known: [], read: ({ requestedModel }) => requestedModel },
  logprob_content: {
    known: ["temperature", "truncated", "raw", "unknown"],
    read: ({ sampling = DEFAULT_SAMPLING }) => sampling.logprobs,
  },
  dropped_tools: { known: [], read: ({ droppedTools }) => droppedTools },
  tag: { known: [], read: ({ tag }) => tag },
  request_kind: { known: [], read: ({ hints }) => hints?.requestKind },
} as const satisfies Readonly<Record<string, { readonly known: readonly string[]; readonly read: ReadLabel }>>;

export type LabelName = keyof typeof LABELS;

const LABEL_LIST: readonly { readonly read: ReadLabel }[] = Object.values(LABELS);

export function labelSlot(name: LabelName): number {
  return Object.keys(LABELS).indexOf(name);
}

/**
 * Returns the labels of one call, in the order of their slots; "" if it has none.
 *
 * @param cause why the prompt does not continue its parent's tokens. Used only if it does not
 */
export function encodeLabels(call: RecordedCall, cause?: string): string[] {
  return LABEL_LIST.map(({ read }) => firstBytes(read(call, cause) ?? "", MAX_TEXT_BYTES));
}

/** Maximum length of a label, in bytes of UTF-8. Longer texts are cut. */
const MAX_TEXT_BYTES = 256;
