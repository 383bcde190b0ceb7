import { canonicalJson } from "../support/json/canonical-json.js";
import type { Message, ToolCall } from "./message.js";
import { type MessageFilter, type TextFilter, toTextFilters } from "./text-filter.js";

/**
 * Returns the canonical form of messages, by which conversations are compared: one string per message.
 *
 * Two strings are equal exactly if these are equal: the role, the text without trailing white space, the name and the
 * arguments (as JSON values) of each tool call, and the `tool_call_id` of a tool result. Reasoning, call ids and `name` are ignored, because agents
 * drop or add them between turns. `system` and `developer` are different roles: a template may show them differently.
 *
 * @param filters every match is removed from the text before the comparison
 */
export function canonicalMessages(messages: readonly Message[], filters: readonly MessageFilter[]): string[] {
  const textFilters = toTextFilters(filters);
  return messages.map((message) => canonicalMessage(message, textFilters));
}

// JSON of nested arrays is injective: no two different messages share a string.
function canonicalMessage(message: Message, filters: readonly TextFilter[]): string {
  const text = filters.reduce((rest, filter) => filter.removeMatches(rest), message.content).trimEnd();
  const parts: unknown[] = [message.role, text];
  if (message.toolCalls !== undefined && message.toolCalls.length > 0) parts.push(message.toolCalls.map(canonicalCall));
  if (message.role === "tool") parts.push(message.toolCallId ?? "");
  return JSON.stringify(parts);
}

/** Arguments that are not JSON are compared as text. The third item keeps them different from all JSON arguments. */
function canonicalCall(call: ToolCall): readonly string[] {
  const json = canonicalJson(call.arguments);
  return json === undefined ? [call.name, call.arguments, "text"] : [call.name, json];
}
