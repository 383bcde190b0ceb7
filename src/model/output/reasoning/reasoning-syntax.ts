import type { MessageWriter } from "../message/message-writer.js";
import type { OutputReader, Step } from "../reader/reader.js";
import type { ReasoningCount } from "../tokens/reasoning-count.js";

/** How a family of models marks its reasoning. */
export interface ReasoningSyntax {
  readonly begin: string;
  readonly end: string;
  /** Whether the reasoning has begun even where neither prompt nor output says so, unless the prompt has ended it. */
  readonly isForced?: boolean;
  /** Whether the first marker of a tool call ends the reasoning too. */
  readonly endsAtCalls?: boolean;
}

interface ReasoningContext {
  readonly reader: OutputReader;
  readonly out: MessageWriter;
  readonly count: ReasoningCount;
  readonly syntax: ReasoningSyntax;
  /** Whether the prompt, or what is known of the model, has begun the reasoning already. */
  readonly isOpen: boolean;
  /** Markers of tool calls that end it. */
  readonly callMarkers: readonly string[];
}

/** Whether the reasoning has begun before the first token of the output. */
export function isOpenAt(promptEnd: string, { begin, end, isForced = false }: ReasoningSyntax): boolean {
  const before = promptEnd.trimEnd();
  return before.endsWith(begin) || (isForced && !before.endsWith(end));
}

/**
 * Reads the reasoning at the beginning of an output; what follows it is left. Without an end all of the output is
 * reasoning: it was cut off.
 */
export function* readReasoning(context: ReasoningContext): Step<void> {
  const { reader, out, count, syntax, isOpen, callMarkers } = context;
  const { begin, end } = syntax;
  reader.record();
  yield* reader.skipSpace();
  const hasBegun = yield* reader.accept(begin);
  const written = reader.recorded();
  if (!hasBegun && !isOpen) {
    count.end(0);
    out.text(written);
    return;
  }
  count.begin("reasoning", 0);
  if (hasBegun) out.boundary();
  else out.reasoning(written);
  const marker = yield* reader.until(reader.markers([end, ...callMarkers]), out.reasoning);
  if (marker === end) reader.skip(end);
  if (marker === undefined) return;
  count.end(reader.position);
  out.boundary();
}
