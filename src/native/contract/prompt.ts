import type { NativeGeneration } from "./generation.js";

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
   * Frees the ids before the garbage collector does. `length` stays valid; any other use then throws `ERR_RELEASED`.
   * Idempotent.
   */
  release(): void;
}
