import type { OutputEvent } from "../conversation/output/output-parser.js";

/** A run of an output: the protocols with items or blocks have one for each. */
export type OutputPart =
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string };

/** Takes one event into the parts told so far: more of the last part, or a new one. */
export function addToParts(parts: OutputPart[], event: OutputEvent): void {
  const last = parts.at(-1);
  switch (event.type) {
    case "reasoning":
    case "text":
      if (last?.type === event.type) parts[parts.length - 1] = { type: event.type, text: last.text + event.text };
      else parts.push({ type: event.type, text: event.text });
      break;
    case "tool_call":
      parts.push({ type: "tool_call", id: event.id, name: event.name, arguments: "" });
      break;
    case "tool_call_arguments":
      if (last?.type === "tool_call") parts[parts.length - 1] = { ...last, arguments: last.arguments + event.text };
      break;
  }
}
