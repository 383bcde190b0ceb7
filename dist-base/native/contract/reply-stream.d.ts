import type { NativeGeneration } from "./generation.js";
import type { EngineReply } from "./reply.js";
/** The engine whose wire format a reply has. */
export type ReplyFormat = "sglang" | "vllm";
/**
 * @param generation receives the tokens
 * @param version for tokens whose version is not an integer in the stream
 * @param topLogprobs number of alternatives per token to keep. vLLM may list more than were requested.
 */
export type NativeReplyStreamConstructor = new (format: ReplyFormat, generation: NativeGeneration, version: number, topLogprobs: number) => NativeReplyStream;
/**
 * Reads a streamed reply: server-sent events, from the body's bytes as they arrive. The time is linear in the new
 * tokens, even if every frame repeats all tokens so far, as SGLang's frames do by default.
 */
export interface NativeReplyStream {
    /**
     * Reads a piece of the body, which may be cut anywhere. After an error (`ERR_REPLY_…`) the stream cannot be used any
     * more, and the generation has the tokens of the earlier frames.
     *
     * @returns the number of added tokens
     */
    push(bytes: Uint8Array): number;
    /** Call it when the body is complete. Throws `ERR_REPLY_MALFORMED` if the body ends before the stream does. */
    end(): EngineReply;
}
