import { listParts, type MessagePart, toContent } from "../../conversation/content.js";
import { showAsText } from "../../conversation/media.js";
import { isSystem, type Message } from "../../conversation/message.js";

/** How a template's system messages are given to it, so that it neither refuses nor leaves out any of them. */
export interface SystemRules {
  /** Several system messages at the start: each as it is, or joined to one. */
  readonly leading: "separate" | "joined";
  /**
   * System messages after another message: as they are, as user messages, or as a part of the user message beside them if the
   * template refuses two user messages in a row.
   */
  readonly later: "system" | "user" | "part_of_user";
}

export const AS_THEY_ARE: SystemRules = { leading: "separate", later: "system" };

/** Between messages that were joined. */
const SEPARATOR: MessagePart = { type: "text", text: "\n\n" };

/**
 * Returns the messages as the rules say.
 *
 * A later system message keeps its place. Moved to the front, it would change the prompt from its beginning, and no prompt would
 * continue an earlier one.
 */
export function placeSystemMessages(messages: readonly Message[], rules: SystemRules): readonly Message[] {
  const firstOther = messages.findIndex((message) => !isSystem(message));
  const end = firstOther < 0 ? messages.length : firstOther;
  const joins = rules.leading === "joined" && end > 1;
  const moves = rules.later !== "system" && messages.some((message, i) => i > end && isSystem(message));
  if (!joins && !moves) return messages;
  const leading = joins ? [joinMessages(messages.slice(0, end))] : messages.slice(0, end);
  const later = messages.slice(end);
  return [...leading, ...(moves ? toUserMessages(later, rules) : later)];
}

/** The text by which a system message is shown in a user message. */
export const wrapSystem = (content: string): string => `<system>\n${content}\n</system>`;

function toUserMessages(messages: readonly Message[], { later }: SystemRules): Message[] {
  const placed: Message[] = [];
  /** The last placed message has the text of a system message, so it takes a user message that follows. */
  let isOpen = false;
  for (const message of messages) {
    const own = isSystem(message) ? toUserMessage(message) : message;
    const last = placed.at(-1);
    const isPart: boolean = later === "part_of_user" && own.role === "user" && (isOpen || own !== message);
    isOpen = own !== message || (isOpen && isPart);
    if (isPart && last?.role === "user") placed[placed.length - 1] = joinMessages([last, own]);
    else placed.push(own);
  }
  return placed;
}

/** Values of messages are cached by message, so that each message must give the same object each time. */
const userMessages = new WeakMap<Message, Message>();

function toUserMessage(message: Message): Message {
  const known = userMessages.get(message);
  if (known) return known;
  const made: Message = { role: "user", content: wrapSystem(showAsText(message.content)) };
  userMessages.set(message, made);
  return made;
}

/** Returns the first message with the content of all. */
function joinMessages(messages: readonly Message[]): Message {
  const [first] = messages;
  const parts = messages.flatMap(({ content }, i) =>
    i === 0 ? listParts(content) : [SEPARATOR, ...listParts(content)],
  );
  return { ...first, role: first?.role ?? "system", content: toContent(parts) };
}
