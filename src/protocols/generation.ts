import type { Message } from "../conversation/message.js";
import type { TopLogprobs } from "../native/contract.js";
import type { OutputPart } from "./output-parts.js";

/** What of an answer is known before its first token. */
export interface AnswerStart {
  readonly interactionId: string;
  readonly model: string;
  /** When the call began, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly promptTokens: number;
}

/** A finished model call, as every protocol needs it for its answer. */
export interface GenerationAnswer extends AnswerStart {
  readonly message: Message;
  /** The same output in the order in which the model wrote it. */
  readonly parts: readonly OutputPart[];
  /** `tool_calls`: it ended by itself, and calls at least one tool in well-formed text. */
  readonly finishReason: "stop" | "length" | "tool_calls";
  /** The stop string that ended it, if one did. */
  readonly stopString: string | undefined;
  readonly completionTokens: number;
  /** Those of `completionTokens` that are reasoning. */
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  /** The recorded output, where the request wants the log probabilities of all. */
  readonly tokens: RecordedTokens | undefined;
}

/** Output tokens as they were recorded. */
export interface RecordedTokens {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly top: TopLogprobs | undefined;
  /** The text of one token; holds U+FFFD where the token is a part of a character. */
  readonly textOf: (id: number) => string;
  /** What one token adds to the text, in UTF-8. */
  readonly bytesOf: (id: number) => Uint8Array;
}
