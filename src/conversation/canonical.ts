import { runAtOnce, type Steps } from "../support/async/steps.js";
import { canonicalJson } from "../support/json/canonical-json.js";
import type { Message, ToolCall } from "./message.js";
import { type MessageFilter, type TextFilter, toTextFilters } from "./text-filter.js";

/**
 * Returns the canonical form of messages, by which conversations are compared: one string per message.
 *
 * Two strings are equal exactly if these are equal: the role, the text without trailing white space, the digest and place of each
 * image, the name and the arguments (as JSON values) of each tool call, and the `tool_call_id` of a tool result.
 *
 * Reasoning, call ids and `name` are ignored, because agents drop or add them between turns. In answers, leading white space is
 * ignored too: agents join an answer's parts with line breaks, and the first part may be empty. `system` and `developer` are
 * different roles: a template may show them differently.
 *
 * @param filters every match is removed from the text before the comparison
 */
export function canonicalMessages(messages: readonly Message[], filters: readonly MessageFilter[]): string[] {
  return runAtOnce(canonicalMessagesInSteps(messages, filters));
}

/** {@link canonicalMessages} in steps, for calls with tens of thousands of values in their arguments. */
export function* canonicalMessagesInSteps(
  messages: readonly Message[],
  filters: readonly MessageFilter[],
): Steps<string[]> {
  const textFilters = toTextFilters(filters);
  const canonical: string[] = [];
  for (const message of messages) canonical.push(yield* canonicalMessage(message, textFilters));
  return canonical;
}

// JSON of nested arrays is injective: no two different messages share a string.
function* canonicalMessage(message: Message, filters: readonly TextFilter[]): Steps<string> {
  const parts: unknown[] = [message.role, canonicalContent(message, filters)];
  if (message.toolCalls !== undefined && message.toolCalls.length > 0) {
    const calls: unknown[] = [];
    for (const call of message.toolCalls) calls.push(yield* canonicalCall(call));
    parts.push(calls);
  }
  if (message.role === "tool") parts.push(message.toolCallId ?? "");
  return JSON.stringify(parts);
}

/** Parts become a list: a text as it is, an image as `[type, digest]`. A text that filters have emptied is left out. */
function canonicalContent({ role, content }: Message, filters: readonly TextFilter[]): string | readonly unknown[] {
  const trimFirst = (text: string) => (role === "assistant" ? text.trimStart() : text);
  if (typeof content === "string") return trimFirst(removeMatches(content, filters).trimEnd());
  const parts = content.map((part, i) => {
    if (part.type !== "text") return [part.type, part.sha256];
    const text = removeMatches(part.text, filters);
    const end = i === content.length - 1 ? text.trimEnd() : text;
    return i === 0 ? trimFirst(end) : end;
  });
  return parts.filter((part) => part !== "");
}

const removeMatches = (text: string, filters: readonly TextFilter[]): string =>
  filters.reduce((rest, filter) => filter.removeMatches(rest), text);

/** Arguments that are not JSON are compared as text, which differs from the JSON of all others. */
function* canonicalCall(call: ToolCall): Steps<readonly string[]> {
  return [call.name, (yield* canonicalJson(call.arguments)) ?? call.arguments];
}
