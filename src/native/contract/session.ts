import type { ChannelSpec, NativeGeneration } from "./generation.js";
import type { NativePrompt } from "./prompt.js";

/** The tokens of one session's conversation trees. Only the event loop may change it. */
export interface NativeSession {
  /** Number of recorded interactions. */
  readonly length: number;
  /** Bytes of native memory that this session holds. */
  readonly byteLength: number;
  /**
   * Returns the best parent for a request whose messages have these chain digests: the interaction with the longest
   * `messages + output` that is a strict prefix, else the one with the longest `messages` that is a strict prefix. Of
   * several, it is the newest with the same tool call ids, else the newest.
   *
   * @param callIds for each message, a number that identifies the ids of all tool calls up to it, or 0 if there are
   * none. Absent if the request has no tool calls
   */
  findParent(digests: Uint8Array, callIds?: BigUint64Array): ParentMatch | undefined;
  /**
   * Returns the interaction whose full sequence is the longest prefix of these ids, the newest of several; undefined if there is none.
   * It takes time in the number of ids and in the tokens that were recorded since the last search.
   */
  findSequence(ids: Int32Array): number | undefined;
  /** Returns the next older interaction with the messages, output and tool call ids of `index`; undefined if there is none. */
  olderTwin(index: number): number | undefined;
  /**
   * Builds a prompt from the full sequence (input and output) of interaction `base`, if given, followed by `pieces`.
   * The pieces are copied. The prompt may outlive the session.
   */
  prompt(pieces: readonly Int32Array[], base?: number): NativePrompt;
  /**
   * Builds a prompt from `pieces`. Tokens that they have in common with the full sequence of interaction `likelyParent` at its start
   * are compared and not copied, and {@link record} with this parent does not compare them again.
   */
  promptSharing(pieces: readonly Int32Array[], likelyParent: number): NativePrompt;
  /** Returns how many tokens of a prompt would be stored with this parent and not repeated; see {@link RecordResult}. */
  sharedLength(prompt: NativePrompt, parent: number): number;
  /** Adds an interaction. It consumes the generation: any later use of it throws `ERR_RELEASED`. */
  record(input: NativeRecordInput): RecordResult;
  /**
   * Returns the bytes of an interaction, as storage keeps them: all that its record added except rewards, with a format
   * version and a checksum. Tokens that are stored with the parent are not repeated. docs/reference/storage-format.md
   * describes them.
   */
  serialize(index: number): Buffer;
  /**
   * Adds interactions as they were recorded. `parts` are results of {@link serialize}, in order, of a session with the
   * same digest key that had the interactions of this session before them. Set rewards afterwards.
   *
   * @throws `ERR_STORED_INVALID` for a part that is damaged, of an unknown format, or not the next interaction. The
   * message has the form "parts[2]: checksum: …". Parts before it are added, it and later parts are not.
   *
   * @param compactedFrom for each part, {@link NativeRecordInput.compactedFrom}; -1 if it had none. Absent: none had one
   * @param added results of {@link serializeAdded}. Errors have the form "added[2]: checksum: …"
   */
  restore(parts: readonly Uint8Array[], compactedFrom?: Int32Array, added?: readonly Uint8Array[]): RestoredTree;
  /**
   * {@link restore} on another thread, for a session without interactions, all or nothing. The session stays empty until the
   * promise resolves, and `parts` must not be changed or
   * transferred until it settles. Their buffers must have a fixed size.
   *
   * Rejects with `ERR_INVALID_ARG` if the session has interactions at the call or at the end, `ERR_STORED_INVALID` if a part is
   * refused, `ERR_RELEASED` if the session was released meanwhile.
   */
  restoreAsync(
    parts: readonly Uint8Array[],
    compactedFrom?: Int32Array,
    added?: readonly Uint8Array[],
  ): Promise<RestoredTree>;
  /**
   * Gives the session a channel without items, unless it has one of this name. Batches then have its tensors.
   *
   * @throws `ERR_INVALID_ARG` if a tensor of another channel has one of its names
   */
  declareChannel(channel: ChannelSpec): void;
  /**
   * Adds items to tokens of recorded interactions: those of the sequence of interaction `leaf` from token `first` on. Tokens that have an
   * item keep it. An interaction whose first missing item is before `first` gets none. Plans that exist do not see the items.
   *
   * @param channel of the sequence, and not ragged
   * @returns the indices of the interactions that have more items now
   */
  addChannel(leaf: number, channel: ChannelSpec, first: number, values: Uint8Array): Uint32Array;
  /**
   * Lists the missing items of an added channel as pairs: an interaction, and the token from which on its sequence lacks items. Adding
   * these items leaves none missing, and adds none twice. The first token of a sequence never has an item.
   */
  listMissing(channel: string): Uint32Array;
  /** Returns the number of tokens that lack an item of an added channel, without the first token of each sequence. */
  countMissing(channel: string): number;
  /**
   * Returns a copy of a channel's items of the first `count` tokens of an interaction's sequence, in native byte order; undefined if a token
   * has no item.
   */
  allItems(index: number, channel: string, count: number): Buffer | undefined;
  /** Returns the bytes of the items that were added to an interaction, for {@link restore}; undefined if there are none. */
  serializeAdded(index: number): Buffer | undefined;
  /** Sets an interaction's own reward, which must be finite and fit a float32. It is stored as float64. */
  setReward(index: number, reward: number): void;
  /** Sets the reward of the whole session, in addition to own rewards. The same range applies. */
  setSessionReward(reward: number): void;
  interaction(index: number): InteractionInfo;
  /** Returns copies of the output of an interaction. */
  output(index: number): RecordedOutput;
  /** Returns the lowest and the highest weight version of an interaction's output; undefined for an empty output. */
  versionRange(index: number): [number, number] | undefined;
  /**
   * Returns the final rewards of all interactions, by index. A final reward is the sum of:
   * - the own reward,
   * - discount × the sum of the children's final rewards, without the session reward,
   * - discount^h × the session reward, where h counts the edges down to the descendant leaf that completed last. Here, a
   *   root counts as a child of the interaction that it was compacted from.
   */
  discountedRewards(discount: number): Float64Array;
  /**
   * Frees the tokens now. Existing plans, prompts and batches keep what they need. Any later use of the session throws
   * `ERR_RELEASED`. Idempotent.
   */
  release(): void;
}

/** The places of restored interactions in the conversation tree. Entry i belongs to part i. */
export interface RestoredTree {
  /** Index of the parent; -1 for a root. */
  readonly parents: Int32Array;
  /** 1 if the prompt continues its parent's tokens, otherwise 0. */
  readonly tokenExact: Uint8Array;
}

export interface ParentMatch {
  readonly index: number;
  /** "continuation": its messages and output are a prefix of the request. "messages": only its messages are. */
  readonly rule: "continuation" | "messages";
}

export interface NativeRecordInput {
  readonly prompt: NativePrompt;
  readonly generation: NativeGeneration;
  /** Result of {@link NativeAddon.digestMessages} for the input messages. */
  readonly digests: Uint8Array;
  /** The output messages in canonical form. */
  readonly output: readonly string[];
  /** Index of the parent; `-1` for a root. Absent: the result of {@link NativeSession.findParent}. */
  readonly parent?: number;
  /** Facts of the call as 32-bit words. Row columns with source `fact` refer to them by position. */
  readonly facts?: Uint32Array;
  /**
   * Recurring texts (finish reason, API, …), "" for none. Row columns with source `label` refer to them by position.
   */
  readonly labels?: readonly string[];
  /**
   * If it does not continue its parent's tokens, it starts a new row of a `concat` export instead of failing the
   * export.
   */
  readonly startsRow?: boolean;
  /** Identifies the tool call ids of the input, and of input and output; see {@link NativeSession.findParent}. */
  readonly callIds?: BigUint64Array | undefined;
  /** Index of the interaction that the client compacted this conversation from: an earlier one that is later than the parent. */
  readonly compactedFrom?: number | undefined;
}

export interface RecordResult {
  readonly index: number;
  readonly parent: number;
  readonly tokenExact: boolean;
  /** Number of input tokens that are stored with the parent and not repeated here. */
  readonly sharedTokens: number;
}

/** The sampled tokens of an interaction, including those that a budget forced. */
export interface RecordedOutput {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly versions: Int32Array;
}

export interface InteractionInfo {
  readonly parent: number;
  /** The parent's input and output tokens are a prefix of this input. False for a root. */
  readonly tokenExact: boolean;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly sharedTokens: number;
  /** Number of output tokens that a budget forced; see {@link NativeGeneration.markForced}. */
  readonly forcedTokens: number;
  readonly ownReward: number | undefined;
  readonly children: number;
}
