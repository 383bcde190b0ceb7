import type { EngineReply, TopLogprobs } from "./reply.js";

/**
 * What reported log probabilities include:
 *
 * - `temperature`: log_softmax(logits / temperature) over the whole vocabulary, after penalties and grammar.
 * - `truncated`: the same, renormalized over the tokens that top-k, top-p and min-p keep.
 * - `raw`: log_softmax(logits), before temperature and penalties.
 * - `unknown`: the engine could not be asked, or its servers differ.
 */
export type LogprobContent = "temperature" | "truncated" | "raw" | "unknown";

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
