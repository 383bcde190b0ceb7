import type { MessageWriter } from "../message/message-writer.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";
import type { ReasoningCount } from "../tokens/reasoning-count.js";

/** The markers that most models use. */
export const THINK = { begin: "<think>", end: "</think>" } as const;

/** Reasoning that stands between two markers at the start of an output. */
export interface ReasoningBlock {
  readonly begin: string;
  readonly end: string;
  /** The output begins with reasoning even without an opening marker, unless the prompt has ended the reasoning. */
  readonly isForced?: boolean;
  /**
   * The opening marker of a tool call ends the reasoning too: always, or only if the reasoning has no end in a whole output.
   * In the second case, a call in reasoning that ends later is a draft.
   */
  readonly endsAtCalls?: true | "unclosed";
  /** Markers around the answer after the reasoning. They belong to neither. */
  readonly answer?: { readonly begin: string; readonly end: string };
  /** Text after the opening marker that belongs to it. */
  readonly label?: string;
  /** An answer without reasoning may begin with the closing marker. */
  readonly mayOnlyEnd?: boolean;
}

interface ReasoningContext {
  readonly reader: OutputCursor;
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
  let marker = yield* reader.until(reader.markers([end, ...callMarkers]), out.reasoning);
  const mayBeDraft = marker !== undefined && marker !== end && block.endsAtCalls === "unclosed";
  if (mayBeDraft && ((yield* reader.isAhead(end)) || reader.isCut))
    marker = yield* reader.until(reader.markers([end]), out.reasoning);
  if (marker === end) reader.skip(end);
  if (marker === undefined) return;
  count.end(reader.position);
  out.markBoundary();
}

/** Takes the marker before the answer, if it comes next, and leaves out the marker at the end of the output. */
export function* openAnswer(
  { reader, out }: Pick<ReasoningContext, "reader" | "out">,
  { begin, end }: NonNullable<ReasoningBlock["answer"]>,
): Step<void> {
  reader.closeWith(end, () => out.markBoundary());
  reader.startRecording();
  yield* reader.skipSpace();
  const hasBegun = yield* reader.accept(begin);
  const written = reader.endRecording();
  if (hasBegun) out.markBoundary();
  else out.text(written);
}
