import type { PendingCall } from "../message/pending-call.js";
import { randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { type CallContext, type CallSyntax, finishCall, newCall } from "./call-syntax.js";
import { readJsonCall } from "./json-call.js";

/** Markers around a JSON list of calls. */
export interface JsonListFrame {
  /** The marker before the list. It may end with the list's bracket. */
  readonly begin: string;
  /** Undefined if the calls end with the list. */
  readonly end?: string;
}

/** Reads one item of a list. Returns true if it is a well-formed call. */
export type ReadItem = (context: CallContext, call: PendingCall) => Step<boolean>;

/**
 * Returns the syntax of calls in JSON lists behind a marker, with text around them. A single object counts as a list.
 * Models sometimes forget the bracket or the marker at the end.
 *
 * @param frames one for each way in which the models of a family mark the list
 */
export function jsonListCalls(
  frames: readonly JsonListFrame[],
  readItem: ReadItem = (context, call) => readJsonCall(context, call),
): CallSyntax {
  const begins = frames.map(({ begin }) => begin);
  const ends = frames.flatMap(({ end }) => end ?? []);
  return {
    markers: [...begins, ...ends],
    *read(context) {
      const { reader, out } = context;
      const openers = reader.markers(begins);
      for (;;) {
        const begin = yield* reader.until(openers, out.text);
        const frame = frames.find((each) => each.begin === begin);
        if (frame === undefined) return;
        yield* readList(context, frame, readItem, [...begins, ...(frame.end === undefined ? [] : [frame.end])]);
      }
    },
  };
}

/** Reads a list whose marker comes next, up to its end or to the first malformed call. */
function* readList(
  context: CallContext,
  { begin, end }: JsonListFrame,
  readItem: ReadItem,
  ends: readonly string[],
): Step<void> {
  const { reader, out } = context;
  reader.startRecording();
  reader.skip(begin);
  yield* reader.skipSpace();
  const isList = begin.endsWith("[") || (yield* reader.accept("["));
  for (;;) {
    const call = newCall(context, randomCallId);
    const isWhole = yield* readItem(context, call);
    yield* finishCall(context, call, isWhole, ends);
    if (!isWhole) {
      if (end !== undefined && (yield* reader.accept(end))) out.text(end);
      return;
    }
    reader.startRecording();
    yield* reader.skipSpace();
    if (isList && (yield* reader.accept(","))) continue;
    const isClosed = !isList || (yield* reader.accept("]"));
    yield* reader.skipSpace();
    if ((end !== undefined && (yield* reader.accept(end))) || isClosed) {
      reader.endRecording();
      out.markBoundary();
    } else if (yield* reader.ready()) out.writeMalformed(reader.endRecording());
    return;
  }
}
