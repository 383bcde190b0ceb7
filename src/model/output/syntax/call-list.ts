import { type PendingCall, randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { type CallContext, type CallSyntax, finishCall, newCall } from "./call-syntax.js";
import { readJsonCall } from "./json-call.js";

/** Markers around a list of calls: `begin [call, call] end`. */
export interface ListFrame {
  /** The marker before the list. It may end with the list's bracket. */
  readonly begin: string;
  /** Undefined if the calls end with the list. */
  readonly end?: string;
}

/** Reads one item of a list. Returns true if it is a well-formed call. */
export type ReadItem = (context: CallContext, call: PendingCall) => Step<boolean>;

const readJsonItem: ReadItem = (context, call) => readJsonCall(context, call);

/**
 * Returns the syntax of calls in lists between markers, with text around them.
 *
 * @param frames one for each way in which the models of a family mark the list
 */
export function listCalls(frames: readonly ListFrame[], readItem: ReadItem = readJsonItem): CallSyntax {
  const markers = [...frames.map(({ begin }) => begin), ...frames.flatMap(({ end }) => end ?? [])];
  return {
    markers,
    *read(context) {
      const { reader, out } = context;
      const found = reader.markers(markers);
      for (;;) {
        const marker = yield* reader.until(found, out.text);
        if (marker === undefined) return;
        reader.startRecording();
        reader.skip(marker);
        const frame = frames.find(({ begin }) => begin === marker);
        if (frame === undefined) out.writeMalformed(reader.endRecording());
        else yield* readCallList(context, frame, readItem, markers);
      }
    },
  };
}

/**
 * Reads the calls after the opening marker, and the closing marker. Recording is on and has the opening marker.
 *
 * A call is written when it is complete, so what follows cannot take it back. Models forget brackets and markers: a single
 * call counts as a list, a list may end with its bracket or with the marker alone, and at the end of the output it needs
 * neither. What follows a list is text again.
 *
 * @param markers the text of a malformed call ends before one of these
 */
export function* readCallList(
  context: CallContext,
  { begin, end }: ListFrame,
  readItem: ReadItem,
  markers: readonly string[],
): Step<void> {
  const { reader, out } = context;
  yield* reader.skipSpace();
  const isList = begin.endsWith("[") || (yield* reader.accept("["));
  do {
    const call = newCall(context, randomCallId);
    const isWhole = yield* readItem(context, call);
    yield* finishCall(context, call, isWhole, markers);
    if (!isWhole) {
      if (end !== undefined && (yield* reader.accept(end))) out.text(end);
      return;
    }
    reader.startRecording();
    yield* reader.skipSpace();
  } while (isList && (yield* reader.accept(",")));
  const isClosed = !isList || (yield* reader.accept("]"));
  yield* reader.skipSpace();
  const isEnded = (end !== undefined && (yield* reader.accept(end))) || isClosed || !(yield* reader.ready());
  const written = reader.endRecording();
  if (isEnded) out.markBoundary();
  else out.writeMalformed(written);
}
