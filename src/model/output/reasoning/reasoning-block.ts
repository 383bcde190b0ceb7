import type { MessageWriter } from "../message/message-writer.js";
import type { OutputReader, Step } from "../reader/reader.js";
import type { ReasoningCount } from "../tokens/reasoning-count.js";

/** The markers that most models use. */
export const THINK = { begin: "<think>", end: "</think>" } as const;

/** Reasoning that stands between two markers at the start of an output. */
export interface ReasoningBlock {
  readonly begin: string;
  readonly end: string;
  /** The output begins with reasoning even without an opening marker, unless the prompt has ended the reasoning. */
  readonly isForced?: boolean;
  /** The opening marker of a tool call ends the reasoning too. */
  readonly endsAtCalls?: boolean;
  /** Text after the opening marker that belongs to it. */
  readonly label?: string;
  /** An answer without reasoning may begin with the closing marker. */
  readonly mayOnlyEnd?: boolean;
}

interface ReasoningContext {
  readonly reader: OutputReader;
  readonly out: MessageWriter;
  readonly count: ReasoningCount;
  readonly block: ReasoningBlock;
  /** The reasoning has begun before the first token of the output. */
  readonly isOpen: boolean;
  /** Markers of tool calls that end the reasoning. */
  readonly callMarkers: readonly string[];
}

/** Returns true if the reasoning has begun before the first token of the output. */
export function isOpenAt(promptEnd: string, { begin, end, label = "", isForced = false }: ReasoningBlock): boolean {
  const before = promptEnd.trimEnd();
  return before.endsWith(begin) || before.endsWith((begin + label).trimEnd()) || (isForced && !before.endsWith(end));
}

/**
 * Reads the reasoning at the start of an output. Without an end marker, the whole output is reasoning: it was cut off.
 */
export function* readReasoning(context: ReasoningContext): Step<void> {
  const { reader, out, count, block, isOpen, callMarkers } = context;
  const { begin, end, label } = block;
  reader.startRecording();
  yield* reader.skipSpace();
  const hasBegun = yield* reader.accept(begin);
  const isEnded = !hasBegun && !isOpen && block.mayOnlyEnd === true && (yield* reader.at(end));
  const written = reader.endRecording();
  if (!hasBegun && !isOpen && !isEnded) {
    count.end(0);
    out.text(written);
    return;
  }
  count.begin("reasoning", 0);
  if (hasBegun) out.markBoundary();
  else out.reasoning(written);
  if (label !== undefined) yield* reader.accept(label);
  const marker = yield* reader.until(reader.markers([end, ...callMarkers]), out.reasoning);
  if (marker === end) reader.skip(end);
  if (marker === undefined) return;
  count.end(reader.position);
  out.markBoundary();
}
