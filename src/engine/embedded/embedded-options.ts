export interface EmbeddedOptions {
  /** A GGUF file. Absent: the tiny random-weight model, made on first use. */
  readonly modelPath?: string | undefined;
  /** Tokens of prompt and output together that one call may have. Default: the model's own, at most 16,384. */
  readonly contextSize?: number | undefined;
  /** How long one call may take in all, the wait for a free sequence included. Default 0: as long as it takes. */
  readonly timeoutSeconds?: number | undefined;
  /** Calls that run at the same time, each with a KV cache of its own; further ones wait. Default 8. */
  readonly sequences?: number | undefined;
  /**
   * Threads of llama.cpp, default 1. More than the cores that are really free make it slower by orders of magnitude:
   * its threads spin while they wait for each other.
   */
  readonly threads?: number | undefined;
}

export const DEFAULT_CONTEXT_SIZE = 16_384;
export const DEFAULT_SEQUENCES = 8;
