import { showAsText } from "../../conversation/media.js";
import type { Message } from "../../conversation/message.js";

/** How messages with tool calls are given to a template, so that it neither refuses nor leaves out what a model wrote. */
export interface CallStyle {
  /** The calls of a message: together, or each in a message of its own that its result follows. */
  readonly calls: "together" | "one_by_one";
  /** Text beside reasoning and calls: as content, or at the end of the reasoning if the template refuses both together. */
  readonly text: "content" | "reasoning";
}

export const CALLS_AS_THEY_ARE: CallStyle = { calls: "together", text: "content" };

/** Between reasoning and text that were joined. */
const SEPARATOR = "\n\n";

/** Returns the messages in this style. */
export function placeCalls(messages: readonly Message[], style: CallStyle): readonly Message[] {
  if (!messages.some((message) => changes(message, style))) return messages;
  const placed: Message[] = [];
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    if (message === undefined || !changes(message, style)) {
      if (message !== undefined) placed.push(message);
      continue;
    }
    const after = messages.findIndex((other, at) => at > i && other.role !== "tool");
    const results = messages.slice(i + 1, after < 0 ? messages.length : after);
    placed.push(...withResults(divide(message, style), results));
    i += results.length;
  }
  return placed;
}

function changes({ toolCalls = [], content, reasoning }: Message, style: CallStyle): boolean {
  if (style.calls === "one_by_one" && toolCalls.length > 1) return true;
  return style.text === "reasoning" && toolCalls.length > 0 && content !== "" && (reasoning ?? "") !== "";
}

/** Puts each result after the message with its call. Results of other calls come last. */
function withResults(parts: readonly Message[], results: readonly Message[]): Message[] {
  const rest = new Set(results);
  const placed = parts.flatMap((part) => {
    const ids = new Set((part.toolCalls ?? []).map(({ id }) => id));
    const own = results.filter(({ toolCallId }) => toolCallId !== undefined && ids.has(toolCallId));
    for (const result of own) rest.delete(result);
    return [part, ...own];
  });
  return [...placed, ...rest];
}

/** Values of messages are cached by message, so that each message must give the same objects each time. */
const dividedMessages = new WeakMap<CallStyle, WeakMap<Message, readonly Message[]>>();

function divide(message: Message, style: CallStyle): readonly Message[] {
  const byMessage = dividedMessages.get(style) ?? new WeakMap<Message, readonly Message[]>();
  dividedMessages.set(style, byMessage);
  const known = byMessage.get(message);
  if (known) return known;
  const [first = message, ...rest] = style.calls === "one_by_one" ? eachCall(message) : [message];
  const parts = [changes(first, style) ? withoutContent(first) : first, ...rest];
  byMessage.set(message, parts);
  return parts;
}

/** Text and reasoning stay with the first call. */
function eachCall({ toolCalls = [], ...message }: Message): Message[] {
  return toolCalls.map(
    (call, index): Message =>
      index === 0 ? { ...message, toolCalls: [call] } : { role: message.role, content: "", toolCalls: [call] },
  );
}

function withoutContent(message: Message): Message {
  return { ...message, content: "", reasoning: `${message.reasoning ?? ""}${SEPARATOR}${showAsText(message.content)}` };
}
