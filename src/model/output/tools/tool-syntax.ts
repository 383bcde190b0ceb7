import type { Tool } from "../../../conversation/message.js";
import type { MessageWriter } from "../message/message-writer.js";
import { type CallIds, PendingCall } from "../message/pending-call.js";
import type { OutputReader, Step } from "../reader/reader.js";

/** What a parser of tool calls works with. */
export interface ToolContext {
  readonly reader: OutputReader;
  readonly out: MessageWriter;
  readonly tools: ReadonlyMap<string, Tool>;
}

/** How a family of models writes tool calls. */
export interface ToolSyntax {
  /** What marks a call; where the vocabulary has tokens of this spelling, those and no other text. */
  readonly markers: readonly string[];
  /** Tokens that are parts of markers: they count as the text that they are spelled with. */
  readonly spelled?: readonly string[];
  /** Reads the text and the calls of an output, to its end. */
  readonly read: (context: ToolContext) => Step<void>;
}

export function newCall({ out }: ToolContext, newId: CallIds): PendingCall {
  return new PendingCall(out, newId);
}

/**
 * Ends a call that was read. A malformed one is text, with what follows it up to one of the markers. Ends the recording.
 */
export function* settle(
  { reader, out }: ToolContext,
  call: PendingCall,
  isWhole: boolean,
  ends: readonly string[],
): Step<void> {
  if (isWhole) {
    call.close();
    reader.recorded();
    return;
  }
  out.malformed(reader.recorded());
  yield* reader.until(reader.markers(ends), out.text);
}
