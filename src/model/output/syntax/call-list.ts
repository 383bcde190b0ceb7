import { type PendingCall, randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { type CallContext, finishCall, newCall } from "./call-syntax.js";

/** Calls in one list between two markers: `begin [call, call] end`. */
export interface CallList {
  readonly begin: string;
  readonly end: string;
  /** Reads one call. Returns true if it is well formed. */
  readonly body: (context: CallContext, call: PendingCall) => Step<boolean>;
}

/**
 * Reads the calls after the opening marker, and the closing marker. Recording is on and has the opening marker. Models
 * sometimes leave out the brackets of a list with one call, or the closing marker at the end of the output.
 */
export function* readCallList(context: CallContext, { begin, end, body }: CallList): Step<void> {
  const { reader, out } = context;
  yield* reader.skipSpace();
  const isList = yield* reader.accept("[");
  do {
    const call = newCall(context, randomCallId);
    const isWhole = yield* body(context, call);
    yield* finishCall(context, call, isWhole, [begin, end]);
    if (!isWhole) {
      if (yield* reader.accept(end)) out.text(end);
      return;
    }
    reader.startRecording();
    yield* reader.skipSpace();
  } while (isList && (yield* reader.accept(",")));
  if (isList) yield* reader.accept("]");
  yield* reader.skipSpace();
  const isEnded = (yield* reader.accept(end)) || !(yield* reader.ready());
  const written = reader.endRecording();
  if (isEnded || written.trim() === "") out.markBoundary();
  else out.writeMalformed(written);
}
