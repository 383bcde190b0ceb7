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
  /** The reply had the routed experts that were asked for. */
  readonly hasExperts?: boolean;
  /** The reply had the sampling masks that were asked for. */
  readonly hasMasks?: boolean;
  /** Length of the longest mask that was not recorded because it is longer than `AskedMasks.maxIds`. */
  readonly longestMask?: number;
  /** The reply had the log probabilities of the token ids that were asked for. */
  readonly hasTokenIds?: boolean;
  /** Absent if the reply names none, not even `default`. */
  readonly versions?: NamedVersions;
  /** The error that a stream reports instead of a finish reason. */
  readonly error?: EngineFailure;
}

/** The weight versions that a reply names. In `first`, `last` and the generation, label i stands as version -2 - i. */
export interface NamedVersions {
  /**
   * - `spans`: for each token.
   * - `reply`: one at a time, for the whole reply or for each frame of a stream.
   * - `none`: not at all.
   */
  readonly naming: "spans" | "reply" | "none";
  /** Texts that are not integers from 0 on, in order of appearance. Absent if there are none. */
  readonly labels?: readonly string[];
  /** The largest integer; absent if there is none. */
  readonly highest?: number;
  /** Versions of the first and the last token. Absent if the engine names none for them. */
  readonly first?: number;
  readonly last?: number;
  /** Number of tokens that came with the first one: all of a whole reply, or those of the first frame. */
  readonly firstCount: number;
  /** A frame with several tokens names another version than the frame before, and there are no spans. */
  readonly mixed: boolean;
  /** The reply names the version `default`, which SGLang and vLLM have until one is set. */
  readonly saysDefault: boolean;
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
