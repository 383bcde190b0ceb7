import type { AnswerStart, GenerationAnswer } from "./generation.js";
import type { RecordedTokens } from "./logprobs.js";
import type { AnswerEvent } from "./output-parts.js";

/** An error as a protocol tells it in a stream that has begun. */
export interface StreamFailure {
  readonly message: string;
  readonly status: number;
  /** OpenAI's error type. */
  readonly type: string;
  readonly code: string;
  readonly param: string | null;
}

/**
 * Writes one answer as the server-sent events of its protocol. Every method returns the text to send, which may be empty.
 * The order of calls: `start`; `push` any number of times; then `finish` or `fail`.
 */
export interface StreamEncoder {
  /** What is sent while nothing else is, so that no one takes the connection for dead. */
  readonly keepAlive: string;
  start(start: AnswerStart): string;
  /** @param tokens the tokens since the last call, where the request wants the log probabilities of all */
  push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): string;
  finish(answer: GenerationAnswer): string;
  fail(failure: StreamFailure): string;
}
