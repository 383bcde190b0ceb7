import type { Step } from "../reader/output-cursor.js";
import type { ReasoningCount } from "../tokens/reasoning-count.js";
import type { CallContext } from "./call-syntax.js";

/** The format of an output whose reasoning, text and calls one reader reads. */
export interface OutputSyntax {
  /** Spellings of markers. If the vocabulary has a token with this spelling, only the token is the marker, never ordinary text. */
  readonly markers: readonly string[];
  /** Reads an output to its end. */
  readonly read: (context: CallContext, options: OutputSyntaxOptions) => Step<void>;
}

export interface OutputSyntaxOptions {
  /** Reasoning is separated from text; otherwise it is text. */
  readonly reasoning: boolean;
  /** Calls are parsed; otherwise they are text. */
  readonly calls: boolean;
  /** The prompt's last tokens as text. */
  readonly promptEnd: string;
  readonly count: ReasoningCount;
}
