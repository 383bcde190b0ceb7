import { showAsText } from "../../../../conversation/media.js";
import type { Message } from "../../../../conversation/message.js";

const LENGTH = 80;

/** Returns the beginning of a message in one line: the tools that it calls, then its text. */
export function beginningOf({ content, toolCalls, reasoning }: Message): string {
  const calls = (toolCalls ?? []).map(({ name }) => `${name}()`).join(", ");
  const text = showAsText(content)
    .slice(0, 4 * LENGTH)
    .replace(/\s+/g, " ")
    .trim();
  return [calls, text].filter(Boolean).join(" ").slice(0, LENGTH) || (reasoning ? "reasoning only" : "empty answer");
}
