/**
 * The typed contract of the native addon, and the only description of it.
 *
 * Units: a token id is an int32, a log probability a float32 in nats, a weight version an int32, a length a number of
 * tokens. Tokens cross this boundary as typed arrays or not at all. Interactions of a session are named by their index
 * in completion order, starting at 0; `-1` stands for "none".
 *
 * Every error thrown here is an `Error` with a stable `code` of {@link NativeErrorCode}.
 */

import type { NativePlan, PlanOptions } from "./contract/batch-plan.js";
import type { NativeGeneration } from "./contract/generation.js";
import type { JsonExcess, JsonLimits } from "./contract/json.js";
import type { NativeSharedPool, PinnedMemory, SharedPoolOptions } from "./contract/memory.js";
import type { NativeReplyStreamConstructor } from "./contract/reply-stream.js";
import type { NativeSession } from "./contract/session.js";

export type * from "./contract/batch-plan.js";
export type * from "./contract/generation.js";
export type * from "./contract/json.js";
export type * from "./contract/memory.js";
export type * from "./contract/prompt.js";
export type * from "./contract/reply.js";
export type * from "./contract/reply-stream.js";
export type * from "./contract/session.js";

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
  /**
   * Returns the first limit that a JSON document in UTF-8 exceeds, without building anything. Undefined also for a text that
   * is not JSON and exceeds no limit before its first error: `JSON.parse` refuses it there.
   */
  findJsonExcess(json: Uint8Array, limits: JsonLimits): JsonExcess | undefined;
  /** {@link findJsonExcess} on a worker thread. `json` must not change meanwhile. */
  findJsonExcessAsync(json: Uint8Array, limits: JsonLimits): Promise<JsonExcess | undefined>;
  /**
   * Rows, lengths, rewards and size of a batch, without touching a token. A snapshot: later records do not change it.
   *
   * @param leftOut by session, the indices of interactions that get no row, unless `includeLeftOut` is true; of a tree batch
   * they are nodes that are not trained on. The children of an interaction that is left out must be left out as well
   */
  planBatch(
    sessions: readonly NativeSession[],
    options: PlanOptions,
    leftOut?: readonly (Uint32Array | undefined)[],
  ): NativePlan;
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
