import { isShallow } from "../../protocols/depth.js";
import { findElementEnds } from "../../support/json/elements.js";
import { readFieldTexts } from "../../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../support/json/spelled.js";

const MESSAGES: ReadonlySet<string> = new Set(["messages"]);

/**
 * Restores the spelling of tool-call arguments in Anthropic's messages, which hold them as JSON values. The prompt must show
 * them as the model wrote them. Only messages in which `JSON.parse` may have changed a value are parsed again.
 *
 * @param text the body
 * @param messages the parsed messages of the body
 * @returns `messages` itself if nothing was restored
 */
export function restoreCallSpelling(text: string, messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some(mayHaveLostSpelling)) return messages;
  const json = Buffer.from(readFieldTexts(text, MESSAGES).get("messages") ?? "");
  const ends = findElementEnds(json, 1);
  if (ends.length !== messages.filter(isObject).length) return messages;
  let next = 0;
  return messages.map((message) => {
    if (!isObject(message)) return message;
    const [start, end] = [json.indexOf("{", ends[next - 1] ?? 1), ends[next]];
    next++;
    return mayHaveLostSpelling(message) ? reparse(json.toString("utf8", start, end), message) : message;
  });
}

/**
 * Parses a message again. If its text has another value, the message stays as it is: a body can have `messages` twice, once
 * with an escaped name, and the text is then that of another message.
 */
function reparse(text: string, message: object): unknown {
  return isShallow(message) && JSON.stringify(JSON.parse(text)) === JSON.stringify(message)
    ? parseSpelled(text)
    : message;
}

function mayHaveLostSpelling(message: unknown): boolean {
  const content = isObject(message) && "content" in message ? message.content : undefined;
  if (!Array.isArray(content)) return false;
  return content.some(
    (block: unknown) =>
      isObject(block) &&
      "type" in block &&
      block.type === "tool_use" &&
      "input" in block &&
      mayLoseSpelling(block.input),
  );
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
