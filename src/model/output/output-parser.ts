import type { Message, Tool } from "../../conversation/message.js";
import type { MessageDelta, TextDelta } from "../../conversation/message-delta.js";
import type { TokenSpan } from "./tokens/text-tokens.js";

/**
 * A piece of an output, in the order in which the model wrote it. Events are never taken back: text that may become part
 * of a marker, a stop string or a character is held back until that is decided.
 */
export type OutputEvent = Exclude<MessageDelta, TextDelta> | TextEvent;

interface TextEvent extends TextDelta {
  /** The tokens of this text that no earlier text had, if `textTokens` is set. */
  readonly tokens?: TokenSpan;
}

/** The result of parsing a whole output. */
export interface ParsedOutput {
  readonly message: Message;
  /**
   * `calls`: there are calls, and all are well formed. `malformed`: at least one was malformed and is left in the text.
   * `none`: there are no calls.
   */
  readonly toolCalls: "none" | "calls" | "malformed";
  /** The stop string that ended the text, if one did. */
  readonly stopString: string | undefined;
  /** Tokens of the reasoning, with the markers and headers that the model wrote for it. */
  readonly reasoningTokens: number;
}

/** How the generation ended. */
export type OutputEnd =
  /** A stop token, a stop string, or the token limit. */
  "stop" | "length";

/**
 * Turns the tokens of one output into text, reasoning and tool calls while they are generated. Special tokens are
 * markers by id, never by their spelling in sampled text.
 */
export interface OutputParser {
  /** Takes the next tokens and returns the events that are now certain. */
  push(ids: Int32Array): OutputEvent[];
  /** A stop string has ended the text. Tokens after it are recorded, but not shown. */
  readonly stopped: boolean;
  /** Ends the output. `events` contains the text that was held back. */
  finish(end: OutputEnd): { readonly events: OutputEvent[]; readonly output: ParsedOutput };
}

export interface OutputParserOptions {
  /** The tools that the prompt showed. Without tools, the parser does not search for calls. */
  readonly tools: readonly Tool[];
  /** Strings that end the output. They are cut off with everything after them. */
  readonly stop: readonly string[];
  /** Token ids that end the output. They are not shown. */
  readonly stopTokenIds: readonly number[];
  /** The prompt's last tokens as text, because the template may have begun the reasoning. */
  readonly promptEnd: string;
  /** The prompt has begun the answer itself, so no reasoning comes first. */
  readonly answerBegun?: boolean;
  /** The output is text only: reasoning and calls stay in it. */
  readonly isPlain?: boolean;
  /** Text events have `tokens`. */
  readonly textTokens?: boolean;
}
