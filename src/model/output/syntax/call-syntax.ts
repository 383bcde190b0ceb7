import type { Tool } from "../../../conversation/message.js";
import type { MessageWriter } from "../message/message-writer.js";
import { type CreateCallId, PendingCall } from "../message/pending-call.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";

/** The objects that a reader of tool calls needs. */
export interface CallContext {
  readonly reader: OutputCursor;
  readonly out: MessageWriter;
  readonly tools: ReadonlyMap<string, Tool>;
}

/** How models write tool calls. */
export interface CallSyntax {
  /**
   * Spellings of the markers of a call, the opening marker first. If the vocabulary has a token with this spelling, only
   * the token is the marker, never ordinary text.
   */
  readonly markers: readonly string[];
  /** Tokens that are parts of markers. They are read as text with their spelling. */
  readonly markerParts?: readonly string[];
  /** Reads the text and the calls of an output to its end. */
  readonly read: (context: CallContext) => Step<void>;
  /** How to read an output without calls, if its text has markers too. */
  readonly textOnly?: Pick<CallSyntax, "markers" | "read">;
}

export function newCall({ out }: CallContext, newId: CreateCallId): PendingCall {
  return new PendingCall(out, newId);
}

/**
 * Ends a call after its text was read and recorded. A malformed call becomes text, together with all text up to the next
 * marker of `ends`.
 */
export function* finishCall(
  { reader, out }: CallContext,
  call: PendingCall,
  isWhole: boolean,
  ends: readonly string[],
): Step<void> {
  if (isWhole) {
    call.close();
    reader.endRecording();
    return;
  }
  out.writeMalformed(reader.endRecording());
  yield* reader.until(reader.markers(ends), out.text);
}
