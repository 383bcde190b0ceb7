import type { NativeSharedPool } from "./memory.js";
import type { NativeSession } from "./session.js";

export type NativeExportStyle = "individual" | "concat";

/** The source of a row column's values. A row has the values of its last turn unless the column says otherwise. */
export type RowColumnSource =
  /** Tokens before the first output that the row trains on. */
  | "promptTokens"
  /** The interaction's own reward, 0 if it has none. */
  | "ownReward"
  | "hasReward"
  /** After discount. */
  | "reward"
  /** The row's reward leaves out own rewards of earlier turns. */
  | "uncountedRewards"
  /** Index of the first row that contains the parent of the row's first turn; -1 if no row of the batch contains it. */
  | "parentRow"
  /**
   * For a row that begins with the root of a compacted conversation: index of the first row that contains the interaction
   * that it was compacted from. -1 for other rows, and if no row of the batch contains it.
   */
  | "compactedFromRow"
  /** Edges to the root of the conversation. */
  | "turn"
  /** Number of turns in the row. */
  | "turns"
  | "tokenExact"
  /** Output tokens of the row's turns that a budget forced, up to the row's length. */
  | "forcedTokens"
  /** Index of the row's session among {@link NativePlan.episodes}. */
  | "episode"
  /** The values of the session in `episode_reward` and `episode_return`. */
  | "episodeReward"
  | "episodeReturn"
  /** Position among the rows of its session in the whole export, and their number. */
  | "sessionRow"
  | "sessionRows"
  /** The row is cut, or the label in `slot` is one of `labels`. */
  | "truncated"
  /** Lowest and highest weight version of the sampled tokens; -1 if there are none. */
  | "minVersion"
  | "maxVersion"
  /** Index of the interaction in its session. */
  | "interaction"
  /** The interaction is in `leftOut` of {@link NativeAddon.planBatch}. */
  | "leftOut"
  /** The interaction is in `filtered` of {@link NativeAddon.planBatch}, or removed by `rewardedRootsOnly`. */
  | "filtered"
  /**
   * Index in the row of a turn's first output token, and index after its last one, without padding. For turn columns
   * only.
   */
  | "turnStart"
  | "turnEnd"
  /** Factor of the turn's loss: see {@link PlanOptions.sharedTurns}. For turn columns only. */
  | "turnWeight"
  /** One of the words of {@link RecordInput.facts}. */
  | "fact"
  /** True if the turns of the row have different values of the fact. */
  | "mixedFact"
  /** True if the fact of the turn, or of any turn of the row, is not 0. */
  | "anyFact"
  /** The code of one of the texts of {@link RecordInput.labels}. */
  | "label";

/** A tensor `row_<name>` [B], `turn_<name>` [turns], or both. */
export interface NativeRowColumn {
  readonly name: string;
  readonly dtype: "I32" | "F32" | "BOOL";
  readonly source: RowColumnSource;
  /** Position of the fact or label. */
  readonly slot: number;
  /** The value for an interaction that was recorded without the fact. */
  readonly missing: number;
  /** True: the value of the row's first turn. */
  readonly ofFirstTurn: boolean;
  /** True: turns that continue their parent's tokens have code -1 instead of the label. */
  readonly ofBroken: boolean;
  readonly perRow: boolean;
  readonly perTurn: boolean;
  /**
   * For source `label`: labels that have the first codes in every batch. Others follow in order of first appearance, rows before
   * turns.
   */
  readonly labels: readonly string[];
}

/**
 * The tensors of a batch by layout; I32 unless noted. Every layout has input_ids, loss_mask, logprobs (F32) and
 * versions.
 *
 * - `padded`: these and attention_mask (BOOL) are [B, T]; rewards are F32 [B]. Padding is the pad token in input_ids,
 *   -1 in versions, and 0 or false elsewhere.
 * - `packed`: these, position_ids (from 0 in each row) and attention_mask (BOOL, all true) are [N], row after row.
 *   cu_seqlens [B + 1] has the start of each row and the end of the last. rewards are F32 [B].
 * - `tree`: each token of the sessions' token trees is stored once. These, position_ids (position in the sequence) and
 *   subtree_end are [N]; cu_trees is [trees + 1]; node_offsets is [nodes + 1]; node_parents, node_lengths and
 *   node_rewards (F32) are [nodes].
 *
 * Each channel that a session of the export recorded (see `ChannelSpec`) has two tensors. Tokens are [B, T] or [N], as above:
 *
 * - without `offsets`: the item of each token [...tokens, ...shape], and `<name>_mask` (BOOL) [...tokens], true at tokens with an item.
 *   Others have zeros.
 * - with `offsets`: all items [items, ...shape], row after row, and the number of items before each token, then of all (I64)
 *   [tokens + 1], where a padded batch has B * T tokens.
 *
 * A row has items of outputs only of calls that it trains on.
 *
 * With {@link PlanOptions.columns}, a batch also has its episodes, one entry for each session of {@link NativePlan.episodes} [E]:
 *
 * - episode_reward (F32): the session's reward plus the own reward of each interaction, undiscounted; 0 without any.
 * - episode_return (F32): the same, discounted from the first turn on: an own reward by the edges from its root, the session's reward
 *   by the edges from the first conversation to the interaction that completed last, compactions included.
 * - episode_has_reward (BOOL): the session or one of its interactions has a reward.
 * - episode_rows: number of rows in the whole export.
 * - episode_group: number of the session's group, from 0 in the order of the episodes. A session without a group has its own.
 *
 * In a tree batch:
 *
 * - A node is an interaction. Its shared input ends within the own tokens of one ancestor; the node branches from that one.
 * - The own tokens of node i are at [node_offsets[i], node_offsets[i + 1]). After them come the nodes that branch from node
 *   i, each with its whole subtree. They are sorted by their branching position, the last position first.
 * - `subtree_end[j]` is the end of everything that continues token j. Token j is in the sequence of token i exactly if
 *   j <= i < subtree_end[j].
 * - loss_mask is 1 at every output token, except in interactions that are left out or filtered.
 * - node_parents is -1 for a root. A tree of cu_trees begins at each root.
 * - The row of node i is the sequence that ends with its last own token. It has node_lengths[i] tokens. If a node has no own
 *   tokens, its row is the first node_lengths[i] tokens of its parent's row.
 *
 * Example: A has four tokens. B continues all of them. C continues the first three.
 *
 *     token            0  1  2  3  4  5  6  7
 *     own token of     A  A  A  A  B  B  C  C
 *     position_ids     0  1  2  3  4  5  3  4
 *     subtree_end      8  8  8  6  6  6  8  8
 *
 *     node             A  B  C
 *     node_offsets     0  4  6  8
 *     node_parents    -1  0  0
 *     node_lengths     4  6  5
 */
export type BatchTensorLayout = "padded" | "packed" | "tree";

export interface PlanOptions {
  /** Default "padded". */
  readonly layout?: BatchTensorLayout;
  /** A tree batch has every interaction as a node, whatever the style. */
  readonly style: NativeExportStyle;
  readonly discount: number;
  /**
   * For style `concat`: a child that is not token-exact is listed in `mismatches` (error) or starts a new row (split).
   */
  readonly onMismatch: "error" | "split";
  readonly padTokenId: number;
  readonly padSide: "left" | "right";
  readonly padToMultipleOf: number;
  /**
   * 0: no limit. Must be 0 for a tree batch (`ERR_INVALID_ARG`), because its rows share the tokens that would be cut.
   */
  readonly maxLength: number;
  readonly overflow: "error" | "truncate" | "drop";
  /**
   * The reward of a `concat` row: the final reward of its last turn (`leaf`, default), or the discounted sum of the own
   * rewards of its turns, counted from the first (`return`).
   */
  readonly concatReward?: "leaf" | "return";
  /**
   * Which rows of a `concat` batch train on a turn that several of them hold: all (`every`, default), the first one of the whole
   * export (`first`), or all with the weight 1 / number of rows (`weight`, which needs `turns`).
   */
  readonly sharedTurns?: "every" | "first" | "weight";
  /** Gives rows to interactions that are left out too. The source `leftOut` still marks them. */
  readonly includeLeftOut?: boolean;
  /** Removes conversation trees without any reward. A session reward counts for all trees of its session. */
  readonly rewardedRootsOnly?: boolean;
  /**
   * Adds `cu_turns` I32 [B + 1] and the turn columns. Not for a tree batch (`ERR_INVALID_ARG`): its nodes are turns.
   */
  readonly turns?: boolean;
  /** Maximum number of distinct labels of one column. Default: no limit. Labels over the limit have code -2. */
  readonly labelLimit?: number;
  /**
   * Adds these tensors, and the metadata `row_codes`: JSON with the labels of each label column, in the order of their
   * codes. An interaction without the label has code -1.
   */
  readonly columns?: readonly NativeRowColumn[];
}

export interface NativePlan {
  /** Ordered by session, then by interaction. In a tree batch, in the order of its nodes. */
  readonly rows: PlanRows;
  /** For style `concat` with onMismatch "error": children that are not token-exact. If there are any, packing fails. */
  readonly mismatches: readonly ConcatMismatch[];
  /** Rows over maxLength. With overflow "error", packing fails if there are any. With "drop", they are left out. */
  readonly overflows: PlanRows;
  /** [B, T] for a padded batch. For other layouts: the number of rows, and the length of the longest. */
  readonly shape: readonly [number, number];
  /** N, the size of the batch's flat dimension, including padding. For a padded batch: B × T. */
  readonly tokens: number;
  /** Conversation trees without any reward, in sessions without a reward: their number, and the first 8. */
  readonly unrewardedRoots: UnrewardedRoots;
  /** Number of interactions that are filtered and not left out. Shards do not have it. */
  readonly filteredCount: number;
  /**
   * Indices of the planned sessions that have a reward, but because of the filters none of it reaches a row. Shards do not
   * have it.
   */
  readonly rewardsFiltered: readonly number[];
  /** Size of the tensor data in bytes, without the header. */
  readonly byteLength: number;
  /** Maximum number of shards without an empty one: the number of rows, or of trees in a tree batch. */
  readonly maxShards: number;
  /**
   * Splits the batch into `count` batches (1 to maxShards) with nearly equal numbers of recorded tokens. Each is
   * complete and padded to its own longest row. Rows keep their order, and a tree stays together. Groups stay together, or
   * else sessions, unless a shard would then have more than 1.2 times the mean number of tokens. The same plan is always
   * split in the same way.
   */
  shards(count: number): NativePlan[];
  /**
   * Returns the indices of the planned sessions that the batch has as episodes, in the order of the tensors `episode_*`: all; of a
   * shard, those that have a row in it, and those of their groups.
   */
  episodes(): Uint32Array;
  /** Returns the episode of a planned session. */
  episode(session: number): NativeEpisode;
  /**
   * Writes the batch as one safetensors block, off the event loop. Fails with `ERR_TOO_LARGE` for a packed or tree
   * batch of 2^31 or more tokens, because its offsets are int32.
   *
   * @param metadata the header's `__metadata__`
   */
  pack(metadata: PackMetadata, options?: PackOptions): Promise<NativeBatch>;
  /**
   * Writes a JSON text, off the event loop: parts[0], the tensor_dict of row 0, parts[1], …, parts[rows.length]. A
   * tensor_dict is `{"input_ids":{"type":"tensor","dtype":"torch.int32","shape":[1,L],"data":"<base64>"},…}` with
   * input_ids, loss_mask, logprobs, versions, attention_mask ([1, L]) and rewards ([1]).
   */
  packJson(parts: readonly string[]): Promise<Buffer>;
}

/**
 * Text values by key. A list of UTF-8 pieces is joined off the event loop, for values of megabytes. Until the promise settles,
 * the pieces must not be changed or transferred. Their buffers must have a fixed size.
 */
export type PackMetadata = Readonly<Record<string, string | readonly Uint8Array[]>>;

/** A session as a whole: its values in the tensors `episode_*`, before they are rounded to float32. */
export interface NativeEpisode {
  readonly hasReward: boolean;
  /** Number of rows of the export. */
  readonly rows: number;
  readonly reward: number;
  readonly discountedReturn: number;
}

/** Makes a plan session by session, so that the event loop can do other work in between. */
export interface NativePlanBuilder {
  /**
   * Adds a session as it is now. Later records do not change the plan. The arguments are those of one session of
   * {@link NativeAddon.planBatch}.
   *
   * @param group sessions of one group have the same number; absent: the session is a group of its own
   * @param limits by interaction, the maximum length of its row if `overflow` truncates it; absent: `maxLength`
   * @throws the errors of `planBatch`. The builder must not be used any more then (`ERR_RELEASED`)
   */
  add(
    session: NativeSession,
    leftOut?: Uint32Array,
    filtered?: Uint32Array,
    group?: number,
    limits?: Uint32Array,
  ): void;
  /**
   * Adds a session whose rows are in other batches of the export. It counts among the planned sessions, and is listed as an
   * episode.
   *
   * @param group as in {@link add}
   */
  addEpisode(episode: NativeEpisode, group?: number): void;
  /** Returns the plan of the sessions that were added. The builder must not be used any more then (`ERR_RELEASED`). */
  finish(): NativePlan;
}

/** A tensor of a batch that does not follow from the plan. */
export interface GivenTensor {
  readonly name: string;
  readonly dtype: TensorSpan["dtype"];
  readonly shape: readonly number[];
  /**
   * Its bytes, in parts that lie one after the other, in little-endian order. Until the promise settles, they must not be changed or
   * transferred. Their buffers must have a fixed size.
   */
  readonly parts: readonly Uint8Array[];
}

export interface PackOptions {
  /** Tensors to add. Default: none. Their names must not be those of other tensors of the batch. */
  readonly tensors?: readonly GivenTensor[];
  /** Maximum number of threads that write. 1: the worker thread alone. Default: depends on the size of the batch. */
  readonly threads?: number;
  /**
   * The memory of the block:
   * - "heap" (default): memory of this process. Up to 1 GiB of it is kept for a minute after its release, for later
   *   batches.
   * - a shared pool: a file that other processes can map.
   * - "pinned": page-locked memory, from which the devices of this process copy directly. It is kept in the same way.
   *   Packing fails with `ERR_PINNED_UNAVAILABLE` if there is none (use "heap" instead), and with `ERR_OUT_OF_MEMORY`
   *   if the driver has none left. Memory that the driver refuses to free or to unlock is lost until the process ends.
   */
  readonly memory?: "heap" | "pinned" | NativeSharedPool;
  /**
   * Writes a padded or packed batch in heap memory in stripes, if it has at least `from` bytes. It is returned when its first
   * `first` bytes are written, and {@link NativeBatch.writeStripe} writes the others. Default: the whole batch is written at once.
   */
  readonly stripes?: { readonly from: number; readonly first: number };
}

/** The rows of a plan as columns: entry i of each column is for row i. */
export interface PlanRows {
  readonly length: number;
  /** Indices into the planned sessions. */
  readonly sessions: Uint32Array;
  readonly interactions: Uint32Array;
  /** Tokens of the row, after truncation. */
  readonly lengths: Uint32Array;
  /** After discount. */
  readonly rewards: Float64Array;
  /** 1 for a row whose reward leaves out own rewards of earlier turns. */
  readonly uncountedRewards: Uint8Array;
}

export interface UnrewardedRoots {
  readonly count: number;
  readonly first: readonly { readonly session: number; readonly interaction: number }[];
}

export interface ConcatMismatch {
  readonly session: number;
  readonly parent: number;
  readonly child: number;
  /** The first position at which the child's input differs from the parent's sequence. */
  readonly position: number;
  readonly parentToken: number;
  /** -1 if the child's input ends at this position. */
  readonly childToken: number;
}

export interface NativeBatch {
  /**
   * The whole block as safetensors: 8-byte header length, JSON header, data. It is a view, not a copy, and is created
   * on first access. A process that uses only `path` thus never adds the block to the garbage collector's external
   * memory.
   */
  readonly bytes: Uint8Array;
  /**
   * Returns a view of the bytes [begin, end) of the block. Unlike {@link bytes}, it is a new ArrayBuffer each time, and may be given
   * to `freeBytes` once nothing reads it any more: the garbage collector then does not count it. `release()` does not detach it, and
   * nothing may read it afterwards.
   */
  part(begin: number, end: number): Uint8Array;
  /** Number of bytes at the start of the block that are written. It does not change while {@link writeStripe} runs. */
  readonly writtenBytes: number;
  /**
   * Writes at least this many more bytes, or all that is left, on one thread off the event loop. Call it again while `writtenBytes` is
   * less than `byteLength`, one call at a time. The bytes are the same as those of a batch that is written at once. The batch may be
   * released meanwhile; its memory is then freed at the end of the stripe.
   */
  writeStripe(bytes: number): Promise<void>;
  /** Size of the whole block. */
  readonly byteLength: number;
  readonly tensors: readonly TensorSpan[];
  readonly memory: "heap" | "shared" | "pinned";
  /** The file of a shared batch. Keep the batch as long as a reader may still open the file. */
  readonly path: string | undefined;
  /** True if a reader has unlinked, moved or linked the file, which then belongs to the reader. */
  readonly taken: boolean;
  /**
   * Releases the batch and allows its slot to be reused, because no reader will read its file again. For memory that is not
   * shared, does the same as `release()`.
   */
  acknowledge(): void;
  /**
   * Detaches every view of the block and frees it. Nothing in this process may still read from it, not even a pending
   * write to a socket. Unlinks a shared file that was not acknowledged. Idempotent.
   */
  release(): void;
}

export interface TensorSpan {
  readonly name: string;
  readonly dtype: "I64" | "I32" | "F32" | "U16" | "U8" | "BOOL";
  readonly shape: readonly number[];
  /** From the start of `bytes`. */
  readonly byteOffset: number;
  readonly byteLength: number;
}
