import type { Message } from "../conversation/message.js";
import type { RecordedTokens } from "./logprobs.js";
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
