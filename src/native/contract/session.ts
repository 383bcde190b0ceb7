import type { NativeGeneration } from "./generation.js";
import type { NativePrompt } from "./prompt.js";

/** The tokens of one conversation tree. Mutated from the event loop only. */
export interface NativeSession {
  /** Interactions recorded. */
  readonly length: number;
  /** Bytes of native memory that this session holds. */
  readonly byteLength: number;
  /**
   * The best parent for a request whose messages have these chain digests: first the longest
   * `messages + output` that is a strict prefix, then the longest `messages` that is one. Ties go to the newest whose tool
   * calls have the same ids, else to the newest.
   *
   * @param callIds for each message a number that identifies the ids of all tool calls up to it, 0 if there are none;
   * absent if the request has no tool calls
   */
  findParent(digests: Uint8Array, callIds?: BigUint64Array): ParentMatch | undefined;
  /**
   * A prompt: the whole sequence (input and output) of interaction `base`, if given, followed by `pieces`.
   * The pieces are copied. A prompt may be longer-lived than the session.
   */
  prompt(pieces: readonly Int32Array[], base?: number): NativePrompt;
  /** Adds an interaction. The generation is consumed: using it afterwards throws `ERR_RELEASED`. */
  record(input: RecordInput): RecordResult;
  /**
   * The interaction's own reward. It must be finite and fit a float32; it is kept as float64. Replaces an earlier one.
   */
  setReward(index: number, reward: number): void;
  /** The reward of the session as a whole, beside own rewards. The same range. */
  setSessionReward(reward: number): void;
  interaction(index: number): InteractionInfo;
  /**
   * Final rewards of all interactions by index: own + discount × children's; and of a session reward S, S × discount^h, where
   * h counts the edges down to the descendant leaf that completed last.
   */
  discountedRewards(discount: number): Float64Array;
  /**
   * Frees the tokens now. Plans, prompts and batches made before keep what they need. Idempotent; any other use
   * afterwards throws `ERR_RELEASED`.
   */
  release(): void;
}

export interface ParentMatch {
  readonly index: number;
  /** "continuation": messages + output are the prefix; "messages": only the input messages are. */
  readonly rule: "continuation" | "messages";
}

export interface RecordInput {
  readonly prompt: NativePrompt;
  readonly generation: NativeGeneration;
  /** From {@link NativeAddon.digestMessages} of the input messages. */
  readonly digests: Uint8Array;
  /** The output messages in canonical form. */
  readonly output: readonly string[];
  /** Fixes the parent; `-1` makes a root. Absent: found by {@link NativeSession.findParent}. */
  readonly parent?: number;
  /** What is recorded of the call beside its tokens, as 32-bit words; row columns of source `fact` name them by position. */
  readonly facts?: Uint32Array;
  /** Texts that recur (finish reason, API, …), "" for none; row columns of source `label` name them by position. */
  readonly labels?: readonly string[];
  /** If it does not continue its parent token by token, it begins a new row of a `concat` export without failing it. */
  readonly startsRow?: boolean;
  /** Identifies the tool call ids of the input, and of input and output; see {@link NativeSession.findParent}. */
  readonly callIds?: BigUint64Array;
}

export interface RecordResult {
  readonly index: number;
  readonly parent: number;
  readonly tokenExact: boolean;
  /** Input tokens that are stored with the parent and not again here. */
  readonly sharedTokens: number;
}

export interface InteractionInfo {
  readonly parent: number;
  /** The parent's input and output tokens are a prefix of this input. False for a root. */
  readonly tokenExact: boolean;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly sharedTokens: number;
  readonly ownReward: number | undefined;
  readonly children: number;
}
