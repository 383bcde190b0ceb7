import { type CallIds, type PendingCall, randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { newCall, settle, type ToolContext, type ToolSyntax } from "./tool-syntax.js";

/** Calls between markers. */
export interface CallFrame {
  /** Markers around one call or several, of which models forget one or both. */
  readonly section?: { readonly begin: string; readonly end: string };
  readonly begin: string;
  /** None where a call ends with its arguments. */
  readonly end?: string;
  /** Further markers that the body reads. */
  readonly inner?: readonly string[];
  readonly newId?: CallIds;
  /** Reads what lies between the markers; whether it is well formed. */
  readonly body: (context: ToolContext, call: PendingCall) => Step<boolean>;
}

/** The syntax of calls that lie between markers, with text before, between and behind them. */
export function framedCalls(frame: CallFrame): ToolSyntax {
  const { section, begin, end, inner = [] } = frame;
  const around = [section?.begin, section?.end, begin, end].filter((marker) => marker !== undefined);
  return { markers: [...around, ...inner], read: (context) => readFramed(context, frame) };
}

function* readFramed(context: ToolContext, frame: CallFrame): Step<void> {
  const { reader, out } = context;
  const { section, begin } = frame;
  const openers = reader.markers(section ? [section.begin, section.end, begin] : [begin]);
  let inSection = false;
  for (;;) {
    const marker = yield* reader.until(openers, out.text);
    if (marker === undefined) return;
    reader.record();
    if (marker !== begin) reader.skip(marker);
    if (marker === section?.begin) yield* reader.skipSpace();
    if (marker === section?.end && inSection) {
      inSection = false;
      out.boundary();
    } else if (marker === begin || (marker === section?.begin && (yield* reader.at(begin)))) {
      inSection = yield* readCall(context, frame);
    } else {
      out.malformed(reader.recorded());
    }
  }
}

/** Reads a call whose first marker is next; whether it is well formed. Recording is on. */
function* readCall(context: ToolContext, frame: CallFrame): Step<boolean> {
  const { reader, out } = context;
  const { section, begin, end } = frame;
  const call = newCall(context, frame.newId ?? randomCallId);
  reader.skip(begin);
  const isWhole = (yield* frame.body(context, call)) && (yield* endsWell(context, frame));
  const ends = [section?.begin, section?.end, begin, end].filter((marker) => marker !== undefined);
  yield* settle(context, call, isWhole, ends);
  if (!isWhole && end !== undefined && (yield* reader.accept(end))) out.text(end);
  return isWhole;
}

/** A call ends with its marker, or with the next call's, or with the output. */
function* endsWell({ reader }: ToolContext, { section, begin, end }: CallFrame): Step<boolean> {
  if (end === undefined) return true;
  yield* reader.skipSpace();
  if (yield* reader.accept(end)) return true;
  const mayFollow = [begin, section?.begin, section?.end].filter((marker) => marker !== undefined);
  for (const marker of mayFollow) if (yield* reader.at(marker)) return true;
  return !(yield* reader.ready());
}
