import type { Message } from "../conversation/message.js";
import type { TopLogprobs } from "../native/contract.js";

/** A finished model call, as every protocol needs it for its answer. */
export interface GenerationAnswer {
  readonly interactionId: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly message: Message;
  readonly finishReason: "stop" | "length";
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number; readonly cachedTokens: number };
  /** The recorded output, where the request wants its log probabilities. */
  readonly tokens: RecordedTokens | undefined;
}

/** Output tokens as they were recorded. */
export interface RecordedTokens {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly top: TopLogprobs | undefined;
  /** The text of one token; holds U+FFFD where the token is a part of a character. */
  readonly textOf: (id: number) => string;
}
