import type { MessageDelta, TextDelta } from "../conversation/message-delta.js";
import type { TokenLogprobs } from "./logprobs.js";

interface TextRun extends TextDelta {
  /** Log probabilities of the tokens of this text, if the request asks for them. */
  readonly logprobs?: TokenLogprobs;
}

/** A piece of an output, from which stream events are written. */
export type AnswerEvent = Exclude<MessageDelta, TextDelta> | TextRun;

/** A run of an output. It becomes one item of a response, or one block of a message. */
export type OutputPart =
  | { readonly type: "reasoning"; readonly text: string }
  | TextRun
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
function extend({ type, text, logprobs = [] }: TextRun, added: TextRun): TextRun {
  if (added.logprobs === undefined) return { type, text: text + added.text };
  for (const entry of added.logprobs) logprobs.push(entry);
  return { type, text: text + added.text, logprobs };
}
