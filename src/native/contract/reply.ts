export interface TopLogprobs {
  readonly width: number;
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
}

/** The content of an engine's reply except its tokens. Fields that the reply lacks are absent. */
export interface EngineReply {
  /** Number of tokens that this reply added. */
  readonly tokens: number;
  readonly id?: string;
  readonly finish?: EngineFinish;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  /** The error that a stream reports instead of a finish reason. */
  readonly error?: EngineFailure;
}

/** An error that an engine reports in a reply that began with status 200. */
export interface EngineFailure {
  /** Empty if the engine sends none. */
  readonly message: string;
  /** The HTTP status of the error, if the engine names one. */
  readonly code?: number;
}

/**
 * SGLang's finish reason object, or vLLM's finish reason as `type` with its stop reason as `matched`. `matched` is a
 * token id or a string. It is absent for a list, and for vLLM's end-of-sequence token.
 */
export interface EngineFinish {
  readonly type: string;
  readonly matched?: number | string;
  readonly message?: string;
  readonly statusCode?: number;
}
