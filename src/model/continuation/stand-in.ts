import { showAsText } from "../../conversation/media.js";
import { isSystem, type Message } from "../../conversation/message.js";

/** Content of messages that stand in for others. No template contains it. */
export const STAND_IN_TEXT = "rolltapeStandIn";

/** Stands in for the history before a turn. */
export const USER: Message = { role: "user", content: STAND_IN_TEXT };

export const hasCalls = (message: Message): boolean => (message.toolCalls ?? []).length > 0;

/** Returns the system messages at the start. Templates may read switches in them that affect later turns. */
export function leadingSystem(messages: readonly Message[]): readonly Message[] {
  let end = 0;
  while (isSystem(messages[end])) end++;
  return messages.slice(0, end);
}

/** Returns a word that occurs in none of the messages. */
export function makeMarker(messages: readonly Message[]): string {
  const texts = messages.flatMap((message) => [
    showAsText(message.content),
    message.name ?? "",
    message.toolCallId ?? "",
  ]);
  let marker = "rolltapeTurnEnd";
  while (texts.some((text) => text.includes(marker))) marker += "X";
  return marker;
}

/**
 * Makes answers of the same shape as this one that end with the marker: in the arguments of the calls, and for templates
 * that do not show calls, in the text.
 */
export function makeStandIns(answer: Message, marker: string): Message[] {
  const textAnswer: Message = { role: "assistant", content: marker };
  if (!hasCalls(answer)) return [textAnswer];
  const toolCalls = (answer.toolCalls ?? []).map((call) => ({ ...call, arguments: JSON.stringify({ value: marker }) }));
  return [
    { role: "assistant", content: "", toolCalls },
    { ...textAnswer, toolCalls },
  ];
}

/** Makes a message that follows the answer in the same role as the new message, but with other content. */
export function makeFollower(added: Message, answer: Message): Message {
  if (added.role !== "tool") return { role: added.role, content: STAND_IN_TEXT };
  const call = answer.toolCalls?.[0];
  const id = call?.id ?? added.toolCallId ?? "";
  return { role: "tool", content: STAND_IN_TEXT, toolCallId: id, ...(call === undefined ? {} : { name: call.name }) };
}
