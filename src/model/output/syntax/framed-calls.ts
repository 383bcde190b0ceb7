import { type CreateCallId, type PendingCall, randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { type CallContext, type CallSyntax, finishCall, newCall } from "./call-syntax.js";

/** Calls between markers. */
export interface CallFrame {
  /** Markers around one or several calls. Models sometimes forget them. */
  readonly section?: { readonly begin: string; readonly end: string };
  readonly begin: string;
  /** Undefined if a call ends with its arguments. */
  readonly end?: string;
  /** Further markers that the body reads. */
  readonly inner?: readonly string[];
  readonly newId?: CreateCallId;
  /** Reads the text between `begin` and `end`. Returns true if it is well formed. */
  readonly body: (context: CallContext, call: PendingCall) => Step<boolean>;
}

/** Returns the syntax of calls between markers, with text before, between and after them. */
export function framedCalls(frame: CallFrame): CallSyntax {
  const { section, begin, end, inner = [] } = frame;
  const around = [section?.begin, section?.end, begin, end].filter((marker) => marker !== undefined);
  return { markers: [...around, ...inner], read: (context) => readFramed(context, frame) };
}

function* readFramed(context: CallContext, frame: CallFrame): Step<void> {
  const { reader, out } = context;
  const { section, begin } = frame;
  const openers = reader.markers(section ? [section.begin, section.end, begin] : [begin]);
  let inSection = false;
  for (;;) {
    const marker = yield* reader.until(openers, out.text);
    if (marker === undefined) return;
    reader.startRecording();
    if (marker !== begin) reader.skip(marker);
    if (marker === section?.begin) yield* reader.skipSpace();
    if (marker === section?.end && inSection) {
      inSection = false;
      out.markBoundary();
    } else if (marker === begin || (marker === section?.begin && (yield* reader.at(begin)))) {
      inSection = yield* readCall(context, frame);
    } else {
      out.writeMalformed(reader.endRecording());
    }
  }
}

/** Reads a call whose first marker is next; recording is on. Returns true if the call is well formed. */
function* readCall(context: CallContext, frame: CallFrame): Step<boolean> {
  const { reader, out } = context;
  const { section, begin, end } = frame;
  const call = newCall(context, frame.newId ?? randomCallId);
  reader.skip(begin);
  const isWhole = (yield* frame.body(context, call)) && (yield* acceptEnd(context, frame));
  const ends = [section?.begin, section?.end, begin, end].filter((marker) => marker !== undefined);
  yield* finishCall(context, call, isWhole, ends);
  if (!isWhole && end !== undefined && (yield* reader.accept(end))) out.text(end);
  return isWhole;
}

/**
 * Takes the end marker of a call. The marker may be missing before another call, before the end of the section and at the
 * end of the output.
 */
function* acceptEnd({ reader }: CallContext, { section, begin, end }: CallFrame): Step<boolean> {
  if (end === undefined) return true;
  yield* reader.skipSpace();
  if (yield* reader.accept(end)) return true;
  const mayFollow = [begin, section?.begin, section?.end].filter((marker) => marker !== undefined);
  for (const marker of mayFollow) if (yield* reader.at(marker)) return true;
  return !(yield* reader.ready());
}
