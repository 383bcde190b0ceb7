import { canonicalJson } from "../support/json/canonical-json.js";
import type { Message, ToolCall } from "./message.js";

/**
 * Messages in the form in which conversations are compared: one string per message, equal exactly where the messages
 * say the same. Compared are role, text without trailing white space, tool calls by name and by arguments as JSON
 * values, and the `tool_call_id` of tool results. Not compared are reasoning, call ids and `name`, which agents drop
 * or add between turns. `system` and `developer` are different roles: a template may show them differently.
 *
 * @param filters what they match is taken out of the text before it is compared, wherever it occurs
 */
export function canonicalMessages(messages: readonly Message[], filters: readonly RegExp[]): string[] {
  const global = filters.map((filter) => (filter.global ? filter : new RegExp(filter, `${filter.flags}g`)));
  return messages.map((message) => canonicalMessage(message, global));
}

// JSON of nested arrays is injective: no two different messages share a string.
function canonicalMessage(message: Message, filters: readonly RegExp[]): string {
  const text = filters.reduce((kept, filter) => kept.replace(filter, ""), message.content).trimEnd();
  const parts: unknown[] = [message.role, text];
  if (message.toolCalls !== undefined && message.toolCalls.length > 0) parts.push(message.toolCalls.map(canonicalCall));
  if (message.role === "tool") parts.push(message.toolCallId ?? "");
  return JSON.stringify(parts);
}

/** Arguments that are not JSON are compared as they are, and never equal arguments that are. */
function canonicalCall(call: ToolCall): readonly string[] {
  const json = canonicalJson(call.arguments);
  return json === undefined ? [call.name, call.arguments, "text"] : [call.name, json];
}
