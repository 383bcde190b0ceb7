/**
 * The typed contract of the native addon, and the only description of it.
 *
 * Units: a token id is an int32, a log probability a float32 in nats, a weight version an int32, a length a number of
 * tokens. Tokens cross this boundary as typed arrays or not at all. Interactions of a session are named by their index
 * in completion order, starting at 0; `-1` stands for "none".
 *
 * Every error thrown here is an `Error` with a stable `code` of {@link NativeErrorCode}.
 */

export type NativeErrorCode =
  /** A wrong argument: type, range, length. */
  | "ERR_INVALID_ARG"
  /** An engine's reply that is not the JSON that it should be. */
  | "ERR_REPLY_MALFORMED"
  /** An engine's reply whose ids, log probabilities and counts do not agree with each other. */
  | "ERR_REPLY_MISMATCH"
  /** A log probability that is NaN or infinite (JSON `null` included). */
  | "ERR_REPLY_NOT_FINITE"
  /** A use after `release()`. */
  | "ERR_RELEASED"
  /** More bytes than one block can have on this Node. */
  | "ERR_TOO_LARGE"
  /** The allocation failed. */
  | "ERR_OUT_OF_MEMORY"
  /** No room for a shared file: batches that were not acknowledged fill the pool, or the file system is full. */
  | "ERR_SHARED_FULL"
  /** A directory or file for shared batches that cannot be used; the message says why. */
  | "ERR_SHARED_UNAVAILABLE"
  /** No page-locked memory here; the message has the reason of {@link NativeAddon.pinnedMemory}. */
  | "ERR_PINNED_UNAVAILABLE";

export interface NativeAddon {
  readonly Session: new () => NativeSession;
  readonly Generation: new () => NativeGeneration;
  readonly ReplyStream: NativeReplyStreamConstructor;
  /**
   * Chain digests of a message list: 16 bytes a message, entry k covering messages 0..k, so that two lists share a
   * prefix of n messages exactly if their entries n-1 are equal. `canonical` holds one string per message.
   *
   * @param before the digest of messages that stand before these; the result is of these alone
   */
  digestMessages(canonical: readonly string[], before?: Uint8Array): Uint8Array;
  /** Rows, lengths, rewards and size of a batch, without touching a token. A snapshot: later records do not change it. */
  planBatch(sessions: readonly NativeSession[], options: PlanOptions): NativePlan;
  /** A directory in which batches are files; see {@link NativeSharedPool}. */
  readonly SharedPool: new (
    options: SharedPoolOptions,
  ) => NativeSharedPool;
  /**
   * Whether `memory: "pinned"` can be had in this process, and if not, why. The first call, or the first pinned batch,
   * opens NVIDIA's driver, which may take seconds where there is one; the answer stays the same afterwards. Only where
   * the device had no memory for the driver's context is it asked again, by the next call.
   */
  pinnedMemory(): PinnedMemory;
}

export interface PinnedMemory {
  readonly available: boolean;
  /** Where it is not available: what is missing, or which call of the driver failed and how. */
  readonly reason?: string;
}

export interface SharedPoolOptions {
  /** An absolute path: `/dev/shm`, or another directory on a file system in memory. */
  readonly directory: string;
  /** Memory that all files of the pool may take together, those that wait to be used again included. */
  readonly maxBytes: number;
  /**
   * Page-locks every slot for the devices of this process (default false); where that is not possible, packing fails
   * with `ERR_PINNED_UNAVAILABLE`. A reader in another process locks its own mapping instead.
   */
  readonly pinned?: boolean;
}

/**
 * Batches as files that other processes map: `pack(metadata, { memory: pool })`. Each file is exactly one safetensors
 * file, readable by this user only. Its header ends at a multiple of 64 bytes, and so the first tensor begins at one;
 * the format allows no holes, and the others follow without: they begin at multiples of 64 bytes too where the number
 * of tokens is a multiple of 16 (`padToMultipleOf`), and at multiples of their element size in any case.
 *
 * The rules, for a reader that knows a batch's path:
 * - The file appears under its path when it is whole, and never changes as long as its batch is neither acknowledged
 *   nor released.
 * - `batch.acknowledge()` says that no reader will look at it again. Its slot, memory that is warm already, becomes the
 *   file of a later batch, under another path: the old path is gone, so that a late reader finds no file. What a reader
 *   still has mapped then shows other bytes, or none.
 * - `batch.release()` without an acknowledgement unlinks the file; so does a batch that is garbage collected, and the
 *   end of the process. What a reader has mapped stays as it is; the memory is freed when the last mapping ends, and no
 *   longer counts here.
 * - A reader that unlinks, moves or links the file owns it for good: `batch.taken` is true, and acknowledging or
 *   releasing only frees this process's side.
 * - The files of a process that was killed are unlinked when the next pool is made in the directory; which processes
 *   live is told by locks that they hold, not by their ids.
 */
export interface NativeSharedPool {
  readonly use: SharedPoolUse;
  /**
   * Makes a free slot for a batch of so many bytes, so that the first batch of this size finds memory that is warm.
   * @throws as packing does: `ERR_SHARED_FULL`, `ERR_TOO_LARGE`, …
   */
  reserve(bytes: number): Promise<void>;
  /** Unlinks free slots that were not used for so long. */
  trim(unusedMilliseconds: number): void;
  /**
   * Unlinks the free slots and gives no more blocks (`ERR_RELEASED`). Batches that are out go on as before. Idempotent.
   */
  close(): void;
}

export interface SharedPoolUse {
  /** Memory of the pool's files, in whole pages. */
  readonly bytes: number;
  /** Slots that wait to be used again. */
  readonly freeSlots: number;
  /** Batches that were neither acknowledged nor released. */
  readonly lentSlots: number;
}

/** The tokens of one conversation tree. Mutated from the event loop only. */
export interface NativeSession {
  /** Interactions recorded, dropped ones included. */
  readonly length: number;
  /** Bytes of native memory that this session holds. */
  readonly byteLength: number;
  /**
   * The best parent for a request whose messages have these chain digests: first the longest
   * `messages + output` that is a strict prefix, then the longest `messages` that is one; ties go to the newest.
   */
  findParent(digests: Uint8Array): ParentMatch | undefined;
  /** The interactions, not dropped, whose input messages are exactly these; newest first. */
  findSame(digests: Uint8Array): number[];
  /**
   * A prompt: the whole sequence (input and output) of interaction `base`, if given, followed by `pieces`.
   * The pieces are copied. A prompt may be longer-lived than the session.
   */
  prompt(pieces: readonly Int32Array[], base?: number): NativePrompt;
  /** Adds an interaction. The generation is consumed: using it afterwards throws `ERR_RELEASED`. */
  record(input: RecordInput): RecordResult;
  /** Takes an interaction without children out of the tree: it is no one's parent and in no export. */
  drop(index: number): void;
  /** The interaction's own reward; finite, as a float32 too; kept as float64. Replaces an earlier one. */
  setReward(index: number, reward: number): void;
  interaction(index: number): InteractionInfo;
  /** Final rewards of all interactions by index: own + discount × children's, float64 inside. Dropped ones hold 0. */
  discountedRewards(discount: number): Float32Array;
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
  readonly dropped: boolean;
}

/** The input token ids of one model call. */
export interface NativePrompt {
  readonly length: number;
  /** A copy of the ids. For engines in this process and for tests. */
  tokens(): Int32Array;
  /**
   * A JSON request body: `prefix`, then `[id,id,…]` of the prompt (and of `partial`, when a cut generation is
   * resumed), then `suffix`, in UTF-8.
   */
  requestBody(prefix: string, suffix: string, partial?: NativeGeneration): Buffer;
  /** The same on a worker thread, for long prompts. Until it settles `partial` must not be used. */
  requestBodyAsync(prefix: string, suffix: string, partial?: NativeGeneration): Promise<Buffer>;
  /**
   * Frees the ids now rather than when the garbage collector comes. `length` stays; any other use afterwards throws
   * `ERR_RELEASED`. Idempotent.
   */
  release(): void;
}

/** The output of one model call while it comes in: ids, log probabilities, versions, optionally top alternatives. */
export interface NativeGeneration {
  readonly length: number;
  /** Adds sampled tokens. Lengths must be equal, log probabilities finite (`ERR_REPLY_NOT_FINITE`), ids ≥ 0. */
  append(ids: Int32Array, logprobs: Float32Array, versions: number | Int32Array): void;
  /**
   * Adds alternatives per token: `width` (id, logprob) pairs for each of the last tokens. `ids.length` is a multiple of
   * `width`; unused places hold id -1 and log probability 0.
   */
  appendTop(ids: Int32Array, logprobs: Float32Array, width: number): void;
  /**
   * Reads a whole reply of SGLang's `/generate` and adds its tokens. `version` is given to tokens for which the reply
   * has no integer version. Nothing is added when it throws (`ERR_REPLY_…`).
   */
  appendSglangReply(body: Uint8Array, version: number): EngineReply;
  /**
   * The same on a worker thread, for large bodies, which it reads in place: until it settles the generation must not be
   * used, and the body must not be changed or transferred.
   */
  appendSglangReplyAsync(body: Uint8Array, version: number): Promise<EngineReply>;
  /**
   * Reads a whole reply of vLLM's `/inference/v1/generate` or `/v1/completions`. `topLogprobs` alternatives a token are
   * kept; otherwise as {@link appendSglangReply}.
   */
  appendVllmReply(body: Uint8Array, version: number, topLogprobs: number): EngineReply;
  /** The same on a worker thread, as {@link appendSglangReplyAsync}. */
  appendVllmReplyAsync(body: Uint8Array, version: number, topLogprobs: number): Promise<EngineReply>;
  /** Forgets the tokens from `length` on: where a generation starts anew. */
  truncate(length: number): void;
  /** Copies of what came in so far, from token `from` (default 0). */
  ids(from?: number): Int32Array;
  logprobs(from?: number): Float32Array;
  versions(from?: number): Int32Array;
  /** Alternatives of the tokens from `from` on: `width` entries a token, or undefined where none were recorded. */
  top(from?: number): TopLogprobs | undefined;
}

/** Whose wire format a reply has. */
export type ReplyFormat = "sglang" | "vllm";

/**
 * `generation` gets the tokens; `version` is given to those for which the stream has no integer version; `topLogprobs`
 * alternatives a token are kept of vLLM's, which lists more than it was asked for.
 */
export type NativeReplyStreamConstructor = new (
  format: ReplyFormat,
  generation: NativeGeneration,
  version: number,
  topLogprobs: number,
) => NativeReplyStream;

/**
 * A streamed reply: server-sent events, read from the body's bytes as they come. It costs what is new, also where every
 * frame repeats all tokens so far, as SGLang's do by default.
 */
export interface NativeReplyStream {
  /**
   * Reads a piece of the body, cut anywhere. After it threw (`ERR_REPLY_…`) the stream is of no use; the generation has
   * the tokens of the frames before.
   *
   * @returns how many tokens it added.
   */
  push(bytes: Uint8Array): number;
  /** To be called when the body is complete. Throws `ERR_REPLY_MALFORMED` where it ends before the stream does. */
  end(): EngineReply;
}

export interface TopLogprobs {
  readonly width: number;
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
}

/** What an engine's reply says beside its tokens. Absent fields were not in the reply. */
export interface EngineReply {
  /** Tokens that this reply added. */
  readonly tokens: number;
  readonly id?: string;
  readonly finish?: EngineFinish;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  /** What a stream says went wrong; it has no finish then. */
  readonly error?: string;
}

/**
 * SGLang's finish reason object, or vLLM's finish reason as `type` with its stop reason as `matched`. `matched` is a token
 * id or a string where it is one, absent for a list and for vLLM's end-of-sequence token.
 */
export interface EngineFinish {
  readonly type: string;
  readonly matched?: number | string;
  readonly message?: string;
  readonly statusCode?: number;
}

export type ExportStyle = "individual" | "concat";

/**
 * How the rows of a batch lie in its tensors; I32 unless said otherwise. Every layout has input_ids, loss_mask, logprobs
 * (F32) and versions.
 *
 * - `padded`: these and attention_mask (BOOL) are [B, T]; rewards F32 [B]. Padding holds the pad token, else 0, false, and
 *   -1 in versions.
 * - `packed`: these, position_ids (from 0 in each row) and attention_mask (BOOL, all true) are [N], row after row;
 *   cu_seqlens [B + 1], where each row starts and the last ends; rewards F32 [B].
 * - `tree`: every token of the sessions' token trees once. These, position_ids (in its sequence) and subtree_end are
 *   [N]; cu_trees [trees + 1]; node_offsets [nodes + 1]; node_parents, node_lengths and node_rewards (F32) [nodes].
 *
 * A node is an interaction, hung from the ancestor whose own tokens its input shares last. The tokens of node i that are
 * its own lie at [node_offsets[i], node_offsets[i + 1]); behind them come the nodes that branch off, the one that branches
 * off last first, each with all that hangs from it. So `subtree_end[j]`, the end of what branches off behind token j,
 * tells what a token sees: token j is one of token i's sequence exactly if j <= i < subtree_end[j]. loss_mask is 1 at
 * every output token. node_parents is -1 for a root, and a tree of cu_trees begins there. A node's row has
 * node_lengths[i] tokens: what its last own token sees or, where it has none, as many of its parent's row.
 */
export type BatchTensorLayout = "padded" | "packed" | "tree";

export interface PlanOptions {
  /** Default "padded". */
  readonly layout?: BatchTensorLayout;
  /** A tree batch has every interaction as a node, whatever the style. */
  readonly style: ExportStyle;
  readonly discount: number;
  /** What a child that is not token-exact does to `concat`: listed in `mismatches`, or a new row. */
  readonly onMismatch: "error" | "split";
  readonly padTokenId: number;
  readonly padSide: "left" | "right";
  readonly padToMultipleOf: number;
  /** 0: no limit. A tree batch takes no other (`ERR_INVALID_ARG`): rows share the tokens that would be cut. */
  readonly maxLength: number;
  readonly overflow: "error" | "truncate" | "drop";
}

export interface NativePlan {
  /** In order of sessions, then of interactions; of a tree batch, in the order of its nodes. */
  readonly rows: PlanRows;
  /** Children that are not token-exact under `concat` with onMismatch "error"; not empty: the plan cannot be packed. */
  readonly mismatches: readonly ConcatMismatch[];
  /** Rows over maxLength with overflow "error"; not empty: the plan cannot be packed. With "drop": those left out. */
  readonly overflows: PlanRows;
  /** [B, T] of the padded batch; else the number of rows and the longest. */
  readonly shape: readonly [number, number];
  /** N, the tokens of the batch's flat dimension, padding included: B × T where padded. */
  readonly tokens: number;
  /** Bytes of tensor data, header excluded. */
  readonly byteLength: number;
  /** How many shards there can be, none of them empty: rows; trees of a tree batch. */
  readonly maxShards: number;
  /**
   * Splits the batch into `count` (1 to maxShards) whose numbers of recorded tokens are nearly equal, each complete on its
   * own and padded to its own longest row. Rows keep their order; a tree stays together. The same plan is always split
   * in the same way.
   */
  shards(count: number): NativePlan[];
  /**
   * Writes the batch as one safetensors block, off the event loop. `metadata` is the header's `__metadata__`:
   * strings to strings.
   * A packed or tree batch of 2^31 tokens and more is `ERR_TOO_LARGE`: its offsets are int32.
   */
  pack(metadata: Readonly<Record<string, string>>, options?: PackOptions): Promise<NativeBatch>;
  /**
   * Writes a JSON text off the event loop: parts[0], tensor_dict of row 0, parts[1], …, parts[rows.length]. A
   * tensor_dict is `{"input_ids":{"type":"tensor","dtype":"torch.int32","shape":[1,L],"data":"<base64>"},…}` with
   * input_ids, loss_mask, logprobs, versions, attention_mask ([1, L]) and rewards ([1]).
   */
  packJson(parts: readonly string[]): Promise<Buffer>;
}

export interface PackOptions {
  /** Threads that may write, at most; 1: the worker thread alone. Default: as many as the batch's size is worth. */
  readonly threads?: number;
  /**
   * Where the block lives:
   * - "heap" (default): memory of this process. Some of it is kept warm after its release (up to 1 GiB, for a minute).
   * - a shared pool: a file that other processes map.
   * - "pinned": page-locked memory, from which the devices of this process copy without a detour; kept warm likewise.
   *   `ERR_PINNED_UNAVAILABLE` where there is none: ask again for "heap". `ERR_OUT_OF_MEMORY` where the driver has
   *   none left at present. What the driver refuses to free or to unlock is lost until the process ends.
   */
  readonly memory?: "heap" | "pinned" | NativeSharedPool;
}

/** Rows as columns: entry i of each is of row i. */
export interface PlanRows {
  readonly length: number;
  /** Indices into the sessions that were planned. */
  readonly sessions: Uint32Array;
  readonly interactions: Uint32Array;
  /** Tokens of the row (after truncation). */
  readonly lengths: Uint32Array;
  /** After discount. */
  readonly rewards: Float32Array;
}

export interface ConcatMismatch {
  readonly session: number;
  readonly parent: number;
  readonly child: number;
  /** The first position at which the child's input differs from the parent's sequence. */
  readonly position: number;
  readonly parentToken: number;
  /** -1 where the child's input ends there. */
  readonly childToken: number;
}

export interface NativeBatch {
  /**
   * The whole block as safetensors: 8-byte header length, JSON header, data. A view, no copy, made when it is first
   * asked for: who hands out only the path never has the garbage collector count the block.
   */
  readonly bytes: Uint8Array;
  /** Bytes of the whole block. */
  readonly byteLength: number;
  readonly tensors: readonly TensorSpan[];
  readonly memory: "heap" | "shared" | "pinned";
  /** The file, where `memory` is "shared". The batch must be kept as long as a reader may still open it. */
  readonly path: string | undefined;
  /** A reader unlinked, moved or linked the file: it is the reader's now. */
  readonly taken: boolean;
  /**
   * Releases the batch, and says that no reader elsewhere will look at its file again: the slot may be used for another
   * batch. The same as `release()` for memory that is not shared.
   */
  acknowledge(): void;
  /**
   * Idempotent. Detaches every view of the block and frees it; nothing in this process may still read from it, a write
   * to a socket included. A shared file that was not acknowledged is unlinked.
   */
  release(): void;
}

export interface TensorSpan {
  readonly name: string;
  readonly dtype: "I32" | "F32" | "BOOL";
  readonly shape: readonly number[];
  /** From the start of `bytes`. */
  readonly byteOffset: number;
  readonly byteLength: number;
}
