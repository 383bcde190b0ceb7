import type { MessageDelta, TextDelta } from "../conversation/message-delta.js";
import { type Logprobs, measureLogprobs, type RecordedTokens } from "./logprobs.js";

interface TextRun extends TextDelta {
  /** Log probabilities of the tokens of this text, if the request asks for them. */
  readonly logprobs?: readonly RecordedTokens[];
}

/** A part of an output. The log probabilities of a stored response may be JSON already. */
type TextPart = TextDelta & { readonly logprobs?: Logprobs };

/** A piece of an output, from which stream events are written. */
export type AnswerEvent = Exclude<MessageDelta, TextDelta> | TextRun;

/** A run of an output. It becomes one item of a response, or one block of a message. */
export type OutputPart =
  | { readonly type: "reasoning"; readonly text: string }
  | TextPart
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string };

/** Adds an event to the parts of an output: extends the last part or appends a new one. */
export function addToParts(parts: OutputPart[], event: AnswerEvent): void {
  const last = parts.at(-1);
  switch (event.type) {
    case "reasoning":
      if (last?.type === event.type) parts[parts.length - 1] = { type: event.type, text: last.text + event.text };
      else parts.push({ type: event.type, text: event.text });
      break;
    case "text":
      if (last?.type === event.type) parts[parts.length - 1] = extend(last, event);
      else parts.push(extend({ type: event.type, text: "" }, event));
      break;
    case "tool_call":
      parts.push({ type: "tool_call", id: event.id, name: event.name, arguments: "" });
      break;
    case "tool_call_arguments":
      if (last?.type === "tool_call") parts[parts.length - 1] = { ...last, arguments: last.arguments + event.text };
      break;
  }
}

/** Appends log probabilities in place: a copy of the list for every piece would make long outputs quadratic. */
function extend({ type, text, logprobs = [] }: TextPart, added: TextRun): TextPart {
  if (added.logprobs === undefined) return { type, text: text + added.text };
  // The list of a part under construction is its own: the first piece was added to a new one.
  for (const run of added.logprobs) (logprobs as RecordedTokens[]).push(run);
  return { type, text: text + added.text, logprobs };
}

/** Returns the memory of the log probabilities of all texts, in bytes. */
export function measurePartLogprobs(parts: readonly OutputPart[]): number {
  const bytes = parts.map((part) => (part.type === "text" && part.logprobs ? measureLogprobs(part.logprobs) : 0));
  return bytes.reduce((sum, each) => sum + each, 0);
}
