import type { NativeGeneration } from "./generation.js";

/** Whose wire format a reply has. */
export type ReplyFormat = "sglang" | "vllm";

/**
 * `generation` gets the tokens; `version` is given to those for which the stream has no integer version; `topLogprobs`
 * alternatives a token are kept of vLLM's, which lists more than it was asked for.
 */
export type NativeReplyStreamConstructor = new (
  format: ReplyFormat,
  generation: NativeGeneration,
  version: number,
  topLogprobs: number,
) => NativeReplyStream;

/**
 * A streamed reply: server-sent events, read from the body's bytes as they come. It costs what is new, also where every
 * frame repeats all tokens so far, as SGLang's do by default.
 */
export interface NativeReplyStream {
  /**
   * Reads a piece of the body, cut anywhere. After it threw (`ERR_REPLY_…`) the stream is of no use; the generation has
   * the tokens of the frames before.
   *
   * @returns how many tokens it added.
   */
  push(bytes: Uint8Array): number;
  /** To be called when the body is complete. Throws `ERR_REPLY_MALFORMED` where it ends before the stream does. */
  end(): EngineReply;
}

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
