import type { Tool } from "../../message.js";
import type { MessageWriter } from "../message/message-writer.js";
import { type CallIds, type CallPolicy, PendingCall } from "../message/pending-call.js";
import type { OutputReader, Step } from "../reading/reader.js";

/** What a parser of tool calls works with. */
export interface ToolContext {
  readonly reader: OutputReader;
  readonly out: MessageWriter;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly policy: CallPolicy;
}

/** How a family of models writes tool calls. */
export interface ToolSyntax {
  /** What marks a call; where the vocabulary has tokens of this spelling, those and no other text. */
  readonly markers: readonly string[];
  /** Reads the text and the calls of an output, to its end. */
  readonly read: (context: ToolContext) => Step<void>;
}

/** Begins a call. The reader keeps what is read of it, until it is told. */
export function newCall({ reader, out, policy }: ToolContext, newId: CallIds): PendingCall {
  return new PendingCall({ out, policy, onTold: () => reader.record() }, newId);
}

/**
 * Ends a call that was read. What follows a malformed one is part of it, up to one of the markers. Ends the recording.
 */
export function* settle(
  { reader }: ToolContext,
  call: PendingCall,
  isWhole: boolean,
  ends: readonly string[],
): Step<void> {
  if (isWhole) {
    call.close();
    reader.recorded();
    return;
  }
  call.break(reader.recorded());
  yield* reader.until(reader.markers(ends), call.rest);
}
