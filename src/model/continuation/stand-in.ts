import type { Message } from "../../conversation/message.js";

/** Content of messages that stand for others, which no template writes of its own accord. */
export const STAND_IN_TEXT = "rolltapeStandIn";

/** Stands for the history before a turn. */
export const USER: Message = { role: "user", content: STAND_IN_TEXT };

export const hasCalls = (message: Message): boolean => (message.toolCalls ?? []).length > 0;

export const isSystem = (message: Message | undefined): boolean =>
  message?.role === "system" || message?.role === "developer";

/** System messages at the start, which templates may read switches from that bear on later turns. */
export function leadingSystem(messages: readonly Message[]): readonly Message[] {
  let end = 0;
  while (isSystem(messages[end])) end++;
  return messages.slice(0, end);
}

/** A word that is in none of the messages. */
export function markerFor(messages: readonly Message[]): string {
  const texts = messages.flatMap((message) => [message.content, message.name ?? "", message.toolCallId ?? ""]);
  let marker = "rolltapeTurnEnd";
  while (texts.some((text) => text.includes(marker))) marker += "X";
  return marker;
}

/**
 * Answers of the same shape as this one, with the marker as the last thing that the model wrote: in the arguments of
 * its calls, or in its text where the template shows no calls.
 */
export function standInsFor(answer: Message, marker: string): Message[] {
  const spoken: Message = { role: "assistant", content: marker };
  if (!hasCalls(answer)) return [spoken];
  const toolCalls = (answer.toolCalls ?? []).map((call) => ({ ...call, arguments: JSON.stringify({ value: marker }) }));
  return [
    { role: "assistant", content: "", toolCalls },
    { ...spoken, toolCalls },
  ];
}

/** A message that follows the answer as the new one does, but says nothing of it. */
export function followerLike(added: Message, answer: Message): Message {
  if (added.role !== "tool") return { role: added.role, content: STAND_IN_TEXT };
  const call = answer.toolCalls?.[0];
  const id = call?.id ?? added.toolCallId ?? "";
  return { role: "tool", content: STAND_IN_TEXT, toolCallId: id, ...(call === undefined ? {} : { name: call.name }) };
}
