import type { Step } from "../reader/reader.js";
import type { ReasoningCount } from "../tokens/reasoning-count.js";
import type { CallContext } from "./call-syntax.js";

/** How models write an output that has a form of its own: reasoning, text and calls are read by one reader. */
export interface OutputSyntax {
  /** What marks the parts of an output. If the vocabulary has a token of this spelling, only that token is a marker. */
  readonly markers: readonly string[];
  /** Reads an output to its end. */
  readonly read: (context: CallContext, options: OutputSyntaxOptions) => Step<void>;
}

export interface OutputSyntaxOptions {
  /** Reasoning is told as reasoning; otherwise it is text. */
  readonly reasoning: boolean;
  /** Calls are told as calls; otherwise they are text. */
  readonly calls: boolean;
  /** The prompt's last tokens as text. */
  readonly promptEnd: string;
  readonly count: ReasoningCount;
}
