import type { NativeGeneration } from "./generation.js";
import type { EngineReply } from "./reply.js";

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
