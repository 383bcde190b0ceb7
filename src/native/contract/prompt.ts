import type { NativeGeneration } from "./generation.js";
import type { ReplyFormat } from "./reply-stream.js";

/** The scores that a request asked for. */
export interface AskedScores {
  readonly format: ReplyFormat;
  /** The first token to score, at least 1: the first token of a sequence has no score. */
  readonly first: number;
  /** Number of most probable tokens of each position. */
  readonly topLogprobs: number;
}

/** Log probabilities that a teacher gives to consecutive tokens, each given the tokens before it. */
export interface TokenScores {
  readonly logprobs: Float32Array;
  /** The most probable tokens of each position, best first; -1 if there is none. */
  readonly topIds: Int32Array;
  /** Their log probabilities; -Infinity if there is none. */
  readonly topLogprobs: Float32Array;
}

/** The input token ids of one model call. */
export interface NativePrompt {
  readonly length: number;
  /** Returns a copy of the ids, for engines in this process and for tests. */
  tokens(): Int32Array;
  /**
   * Returns the first token of the prompt whose item of a channel of sequences is not recorded, as far as the interaction that the
   * prompt continues has it.
   *
   * @param partial a cut generation to resume, which may have items of the prompt
   */
  firstUnrecorded(channel: string, partial?: NativeGeneration): number;
  /**
   * Writes a JSON request body in UTF-8: `prefix`, then `[id,id,…]`, then `suffix`.
   *
   * @param partial a cut generation to resume, whose ids follow those of the prompt
   * @param from number of the prompt's first ids that are left out; default 0
   */
  requestBody(prefix: string, suffix: string, partial?: NativeGeneration, from?: number): Buffer;
  /** The whole body, written on a worker thread, for long prompts. `partial` must not be used until it settles. */
  requestBodyAsync(prefix: string, suffix: string, partial?: NativeGeneration): Promise<Buffer>;
  /**
   * Reads the scores of the prompt's tokens from a reply to a request with `requestBody`.
   *
   * @returns undefined if a reply of vLLM has no scores: the server does not know the field of the request
   * @throws `ERR_REPLY_…` if the reply does not have a finite score for each token from `asked.first` on
   */
  readScores(body: Uint8Array, asked: AskedScores): TokenScores | undefined;
  /** {@link readScores} on a worker thread. `body` must not be changed or transferred until it settles. */
  readScoresAsync(body: Uint8Array, asked: AskedScores): Promise<TokenScores | undefined>;
  /**
   * Frees the ids before the garbage collector does. `length` stays valid; any other use then throws `ERR_RELEASED`.
   * Idempotent.
   */
  release(): void;
}
