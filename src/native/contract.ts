/**
 * The typed contract of the native addon, and the only description of it.
 *
 * Units: a token id is an int32, a log probability a float32 in nats, a weight version an int32, and a length a number
 * of tokens. Tokens cross this boundary only as typed arrays. An interaction of a session is identified by its index in
 * completion order, from 0; `-1` means "none".
 *
 * Every error that the addon throws is an `Error` with a stable `code` of {@link NativeErrorCode}.
 */

import type { NativePlan, NativePlanBuilder, PlanOptions } from "./contract/batch-plan.js";
import type { NativeFileLock } from "./contract/file-lock.js";
import type { NativeGeneration, OutputLimits } from "./contract/generation.js";
import type { JsonLimits, NativeJsonCheck } from "./contract/json.js";
import type { LogFileOptions, NativeLogFile } from "./contract/log-file.js";
import type { NativeSharedPool, PinnedMemory, SharedPoolOptions } from "./contract/memory.js";
import type { NativeReplyStreamConstructor } from "./contract/reply-stream.js";
import type { NativeSession } from "./contract/session.js";

export type * from "./contract/batch-plan.js";
export type * from "./contract/file-lock.js";
export type * from "./contract/generation.js";
export type * from "./contract/json.js";
export type * from "./contract/log-file.js";
export type * from "./contract/memory.js";
export type * from "./contract/prompt.js";
export type * from "./contract/reply.js";
export type * from "./contract/reply-stream.js";
export type * from "./contract/session.js";

export type NativeErrorCode =
  /** A wrong argument: type, range, length. */
  | "ERR_INVALID_ARG"
  /** An engine's reply that is not valid JSON, or lacks required fields. */
  | "ERR_REPLY_MALFORMED"
  /** An engine's reply whose ids, log probabilities and counts are inconsistent. */
  | "ERR_REPLY_MISMATCH"
  /** A log probability that is NaN or infinite (JSON `null` included). */
  | "ERR_REPLY_NOT_FINITE"
  /** An impossible value: beyond the limits of the generation, or a negative weight version. */
  | "ERR_REPLY_IMPOSSIBLE"
  /** The engine used other prompt tokens than {@link AskedValues.promptIds}. Nothing of the reply was added. */
  | "ERR_REPLY_OTHER_PROMPT"
  /** A use after `release()`. */
  | "ERR_RELEASED"
  /** Stored bytes that are damaged, of an unknown format, or not the session's next interaction. */
  | "ERR_STORED_INVALID"
  /** More bytes than one block can have with this version of Node. */
  | "ERR_TOO_LARGE"
  /** The allocation failed. */
  | "ERR_OUT_OF_MEMORY"
  /** No space for a shared file: unacknowledged batches fill the pool, or the file system is full. */
  | "ERR_SHARED_FULL"
  /** A directory or file for shared batches cannot be used; the message says why. */
  | "ERR_SHARED_UNAVAILABLE"
  /** Page-locked memory is not available. The message has the reason of {@link NativeAddon.pinnedMemory}. */
  | "ERR_PINNED_UNAVAILABLE"
  /** A file accepted no more bytes, for example because the disk is full. */
  | "ERR_WRITE_FAILED"
  /** The disk did not confirm bytes that a file had accepted. */
  | "ERR_SYNC_FAILED";

export interface NativeAddon {
  /**
   * A session without interactions.
   *
   * @param digestKey 16 random bytes, the key of all digests that the session will be given. Digests that are stored
   * are of use only under the same key. Absent: a key that was made for this process
   */
  readonly Session: new (
    digestKey?: Uint8Array,
  ) => NativeSession;
  readonly Generation: new (limits?: OutputLimits) => NativeGeneration;
  readonly ReplyStream: NativeReplyStreamConstructor;
  /**
   * Returns the chain digests of a message list: 16 bytes per message. Entry k covers messages 0..k, so two lists share
   * a prefix of n messages exactly if their entries n-1 are equal.
   *
   * @param canonical one string per message
   * @param before the digest of the messages before these; the result has entries for these messages only
   * @param digestKey that of the session; see {@link Session}
   */
  digestMessages(canonical: readonly string[], before?: Uint8Array, digestKey?: Uint8Array): Uint8Array;
  /** Checks JSON documents against limits that it reads once. Reading them takes longer than checking a small document. */
  readonly JsonCheck: new (
    limits: JsonLimits,
  ) => NativeJsonCheck;
  /**
   * Frees the memory of a buffer now, not at a later garbage collection: V8 collects its whole heap once per 64 MB of such
   * memory. The buffer's length is 0 then. Nothing else may use its memory: no worker thread, and no write to a socket.
   *
   * @returns false if the buffer is a part of larger memory, which stays as it is
   */
  freeBytes(bytes: Uint8Array): boolean;
  /**
   * Plans a batch: rows, lengths, rewards and size. It reads no tokens. Later records do not change the plan.
   *
   * @param leftOut indices of the interactions that get no row, by session. With `includeLeftOut` they get rows. In a
   * tree batch they are nodes that are not trained on. If an interaction is left out, its children must be left out too
   * @param filtered indices of the interactions that filters remove, by session. They get no row. In rows of style `concat`,
   * their outputs are context of later turns and not trained on; in a tree batch they are nodes that are not trained on.
   * Rewards are computed as if no interaction were filtered
   * @throws `ERR_INVALID_ARG` if a final reward does not fit a float32. The message has the form "reward: the final reward
   * of interaction 3 does not fit a float32", with the index in its session.
   */
  planBatch(
    sessions: readonly NativeSession[],
    options: PlanOptions,
    leftOut?: readonly (Uint32Array | undefined)[],
    filtered?: readonly (Uint32Array | undefined)[],
  ): NativePlan;
  /**
   * Makes the plan of {@link planBatch} session by session.
   *
   * @param interactions how many interactions all sessions have together, for one allocation instead of many
   */
  readonly PlanBuilder: new (
    options: PlanOptions,
    interactions?: number,
  ) => NativePlanBuilder;
  /** A directory that contains batches as files; see {@link NativeSharedPool}. */
  readonly SharedPool: new (
    options: SharedPoolOptions,
  ) => NativeSharedPool;
  /** Locks a file, which is created if it is missing. No other process, and no other lock of this one, can lock it then. */
  readonly FileLock: new (
    path: string,
  ) => NativeFileLock;
  /**
   * Opens a segment of the log for writing, and creates the file if it is missing. Only its owner can read it then.
   *
   * @throws `ERR_INVALID_ARG` if the file cannot be opened
   */
  readonly LogFile: new (
    path: string,
    options: LogFileOptions,
  ) => NativeLogFile;
  /**
   * Returns the CRC-32C of bytes.
   *
   * @param seed the checksum of the bytes before these; the result is the checksum of both together
   */
  crc32c(bytes: Uint8Array, seed?: number): number;
  /**
   * Sets how many bytes a socket takes before its reader has read them. The kernel reduces it to its own limit
   * (`net.core.wmem_max`).
   *
   * @throws `ERR_INVALID_ARG` if `fd` is not a socket
   */
  setSendBuffer(fd: number, bytes: number): void;
  /**
   * Returns if `memory: "pinned"` is available in this process, and if not, why.
   *
   * The first call, or the first pinned batch, opens NVIDIA's driver if there is one, which may take seconds. The
   * result is then remembered, unless the device had no memory for the driver's context: the next call tries that
   * again.
   */
  pinnedMemory(): PinnedMemory;
}
