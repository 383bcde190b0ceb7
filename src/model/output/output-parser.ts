import type { Message, Tool } from "../../conversation/message.js";
import type { TokenSpan } from "./tokens/text-tokens.js";

/**
 * A piece of an output as the agent may see it, in the order in which the model wrote it. Nothing that was told is taken
 * back: text that may yet turn out to be a marker, a stop string or half a character is held until that is known.
 */
export type OutputEvent =
  | { readonly type: "reasoning"; readonly text: string }
  /** `tokens`: those that have a part in the text and were not told before, if they are asked for. */
  | { readonly type: "text"; readonly text: string; readonly tokens?: TokenSpan }
  /** A call, which is well formed: its arguments are all there, and follow. Calls are numbered from 0. */
  | { readonly type: "tool_call"; readonly index: number; readonly id: string; readonly name: string }
  /** The call's raw argument text. */
  | { readonly type: "tool_call_arguments"; readonly index: number; readonly text: string };

/** What the whole output says. */
export interface ParsedOutput {
  readonly message: Message;
  /**
   * `calls`: every tool call is well formed; `malformed`: what was meant as one is left in the text; `none`: no sign of
   * one.
   */
  readonly toolCalls: "none" | "calls" | "malformed";
  /** The stop string that ended the text, if one did. */
  readonly stopString: string | undefined;
  /** Tokens of the reasoning, with the markers and headers that the model wrote for it. */
  readonly reasoningTokens: number;
}

/** How the generation ended, as far as the text is concerned. */
export type OutputEnd =
  /** A stop token, a stop string, or the token limit. */
  "stop" | "length";

/**
 * Turns the tokens of one output into text, reasoning and tool calls while they are generated. Special tokens are
 * markers by id, never by their spelling in sampled text.
 */
export interface OutputParser {
  /** Takes the next tokens; returns what can be told by now. */
  push(ids: Int32Array): OutputEvent[];
  /** Whether a stop string has ended the text: tokens behind it are recorded and not shown. */
  readonly stopped: boolean;
  /** Takes the end: `events` is what was held back. */
  finish(end: OutputEnd): { readonly events: OutputEvent[]; readonly output: ParsedOutput };
}

export interface OutputParserOptions {
  /** The tools that the prompt showed; without any, tool calls are not looked for. */
  readonly tools: readonly Tool[];
  /** Strings that end the output; cut off, with all behind them. */
  readonly stop: readonly string[];
  /** Token ids that end the output; not shown. */
  readonly stopTokenIds: readonly number[];
  /** The prompt's last tokens as text: a template may have opened the reasoning already. */
  readonly promptEnd: string;
  /** Whether the prompt has begun the answer itself: then no reasoning comes first. */
  readonly answerBegun?: boolean;
  /** Whether texts are told with their tokens. */
  readonly textTokens?: boolean;
}
