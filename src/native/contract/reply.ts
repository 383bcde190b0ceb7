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
