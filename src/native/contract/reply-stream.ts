import type { AskedValues, NativeGeneration } from "./generation.js";
import type { EngineReply, NamedVersions } from "./reply.js";

/** The engine whose wire format a reply has. */
export type ReplyFormat = "sglang" | "vllm";

/**
 * @param generation receives the tokens
 * @param version of tokens that were sampled before the engine was given a version
 * @param topLogprobs number of alternatives per token to keep. vLLM may list more than were requested.
 */
export type NativeReplyStreamConstructor = new (
  format: ReplyFormat,
  generation: NativeGeneration,
  version: number,
  topLogprobs: number,
  asked?: AskedValues,
) => NativeReplyStream;

/**
 * Reads a streamed reply: server-sent events, from the body's bytes as they arrive. The time is linear in the new
 * tokens, even if every frame repeats all tokens so far, as SGLang's frames do by default.
 */
export interface NativeReplyStream {
  /**
   * Reads a piece of the body, which may be cut anywhere. After an error (`ERR_REPLY_…`) the stream cannot be used any
   * more, and the generation has the tokens of the earlier frames. If the generation got more or fewer tokens by other
   * means, the stream cannot go on (`ERR_INVALID_ARG`).
   *
   * @param version for tokens for which their frame names none, from here on
   * @returns the number of added tokens
   */
  push(bytes: Uint8Array, version?: number): number;
  /** Returns what the frames so far said of versions, also after an error. */
  versions(): NamedVersions;
  /** Call it when the body is complete. Throws `ERR_REPLY_MALFORMED` if the body ends before the stream does. */
  end(): EngineReply;
}
