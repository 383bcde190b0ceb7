import { isShallow } from "../../protocols/depth.js";
import { findElementEnds } from "../../support/json/elements.js";
import { readFieldTexts } from "../../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../support/json/spelled.js";

const MESSAGES: ReadonlySet<string> = new Set(["messages"]);

/**
 * Anthropic's messages hold the arguments of earlier calls as values, which prompts show number by number and key by
 * key, as the model wrote them. Messages in which `JSON.parse` may have changed such a value are read again, each alone.
 *
 * @param text the body
 * @param messages its messages, as `JSON.parse` gives them
 */
export function withSpelledCalls(text: string, messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some(mayHaveChanged)) return messages;
  const json = Buffer.from(readFieldTexts(text, MESSAGES).get("messages") ?? "");
  const ends = findElementEnds(json, 1);
  if (ends.length !== messages.filter(isObject).length) return messages;
  let next = 0;
  return messages.map((message) => {
    if (!isObject(message)) return message;
    const [start, end] = [json.indexOf("{", ends[next - 1] ?? 1), ends[next]];
    next++;
    return mayHaveChanged(message) ? spelled(json.toString("utf8", start, end), message) : message;
  });
}

/** Where the field came twice, and only one of its names was escaped, the text may be that of another message. */
function spelled(text: string, message: object): unknown {
  return isShallow(message) && JSON.stringify(JSON.parse(text)) === JSON.stringify(message)
    ? parseSpelled(text)
    : message;
}

function mayHaveChanged(message: unknown): boolean {
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
