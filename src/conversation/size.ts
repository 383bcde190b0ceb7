import type { MessageContent, MessagePart } from "./content.js";
import type { Conversation, Message } from "./message.js";

/** Characters added for each message, part, tool call and value in a tool's definition: a template writes names and marks around it. */
const MARKUP = 16;

/** Estimates how many characters the prompt of this conversation has. This is much faster than rendering the prompt. */
export function estimateCharacters({ messages, tools = [] }: Conversation): number {
  let characters = 0;
  for (const message of messages) characters += MARKUP + messageLength(message);
  for (const tool of tools) characters += valueLength(tool);
  return characters;
}

function messageLength(message: Message): number {
  const markup = MARKUP * ((message.toolCalls?.length ?? 0) + countParts(message.content));
  return markup + sumTexts(message, (text) => text.length);
}

/** Returns the number of parts; 0 for a text. */
export const countParts = (content: MessageContent): number => (typeof content === "string" ? 0 : content.length);

/** Sums a measure of all texts of a message. Ids, names and digests are texts too. */
export function sumTexts(
  { content, reasoning = "", toolCalls = [], toolCallId = "", name = "" }: Message,
  measure: (text: string) => number,
): number {
  const text = typeof content === "string" ? measure(content) : sumParts(content, measure);
  let sum = text + measure(reasoning) + measure(toolCallId) + measure(name);
  for (const call of toolCalls) sum += measure(call.id) + measure(call.name) + measure(call.arguments);
  return sum;
}

function sumParts(parts: readonly MessagePart[], measure: (text: string) => number): number {
  return parts.reduce(
    (sum, part) => sum + (part.type === "text" ? measure(part.text) : measure(part.sha256) + measure(part.mediaType)),
    0,
  );
}

/**
 * Returns about how many characters a JSON value has, without writing it.
 *
 * @param value JSON of limited depth: this function recurses
 */
export function valueLength(value: unknown): number {
  if (typeof value === "string") return MARKUP + value.length;
  if (Array.isArray(value)) return value.reduce<number>((length, item) => length + valueLength(item), MARKUP);
  let length = MARKUP;
  // A number, a truth value and null have no keys.
  for (const key in value as object) length += key.length + valueLength((value as Record<string, unknown>)[key]);
  return length;
}
