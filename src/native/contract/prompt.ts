import type { NativeGeneration } from "./generation.js";

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
