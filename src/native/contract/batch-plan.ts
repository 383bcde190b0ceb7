import type { NativeSharedPool } from "./memory.js";

export type ExportStyle = "individual" | "concat";

/** Where a row column takes its values from. A row stands for its last turn unless the column says otherwise. */
export type RowColumnSource =
  /** Tokens before the first output that the row trains on. */
  | "promptTokens"
  /** The interaction's own reward, 0 if it has none. */
  | "ownReward"
  | "hasReward"
  /** After discount. */
  | "reward"
  /** Turns before the row's last one have own rewards that the row's reward does not count. */
  | "uncountedRewards"
  /** Index of the first row that holds the parent of the row's first turn; -1 if no row of the batch does. */
  | "parentRow"
  /** Edges to the root of the conversation. */
  | "turn"
  /** Number of turns in the row. */
  | "turns"
  | "tokenExact"
  /** The interaction is one of those that `leftOut` of {@link NativeAddon.planBatch} names. */
  | "leftOut"
  /**
   * Index in the row of a turn's first output token, and the one after its last, padding not counted. Of turns only.
   */
  | "turnStart"
  | "turnEnd"
  /** One of the words of {@link RecordInput.facts}. */
  | "fact"
  /** The turns of the row differ in that word. */
  | "mixedFact"
  /** The code of one of the texts of {@link RecordInput.labels}. */
  | "label";

/** A tensor `row_<name>` [B], `turn_<name>` [turns], or both. */
export interface NativeRowColumn {
  readonly name: string;
  readonly dtype: "I32" | "F32" | "BOOL";
  readonly source: RowColumnSource;
  /** Position of the fact or label. */
  readonly slot: number;
  /** The word for an interaction that was recorded without the fact. */
  readonly missing: number;
  /** The value is that of the row's first turn. */
  readonly ofFirstTurn: boolean;
  /** Only a turn that does not continue its parent's tokens has the label; others have code -1. */
  readonly ofBroken: boolean;
  readonly perRow: boolean;
  readonly perTurn: boolean;
  /** Labels that have the first codes in every batch. Others follow in order of first appearance, rows before turns. */
  readonly labels: readonly string[];
}

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
 * every output token, except in interactions that are left out. node_parents is -1 for a root, and a tree of cu_trees
 * begins there. A node's row has node_lengths[i] tokens: what its last own token sees or, where it has none, as many of
 * its parent's row.
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
  /**
   * The reward of a `concat` row: the final reward of its last turn (`leaf`, default), or the discounted return of its own
   * turns, counted from the first (`return`).
   */
  readonly concatReward?: "leaf" | "return";
  /** Interactions that are left out get rows like all others; the source `leftOut` still marks them. */
  readonly includeLeftOut?: boolean;
  /** Adds `cu_turns` I32 [B + 1] and the turn columns. Not for a tree batch (`ERR_INVALID_ARG`): its nodes are turns. */
  readonly turns?: boolean;
  /** Distinct labels that one column may have, default no limit; a label over it has code -2. */
  readonly labelLimit?: number;
  /**
   * Adds these tensors, and the metadata `row_codes`: JSON, for each label column its labels in the order of their codes. An
   * interaction without the label has code -1.
   */
  readonly columns?: readonly NativeRowColumn[];
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
  /** Conversation trees in which no interaction has a reward, in sessions without one: how many, and the first 8. */
  readonly unrewardedRoots: UnrewardedRoots;
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
  readonly rewards: Float64Array;
  /** 1 for a row with inner own rewards that its reward does not count. */
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
