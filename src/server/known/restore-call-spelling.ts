import { isShallow } from "../../protocols/depth.js";
import { HUGE_TEXT, type Steps } from "../../support/async/steps.js";
import { findElementEnds } from "../../support/json/elements.js";
import { readFieldTexts } from "../../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../support/json/spelled.js";

const MESSAGES: ReadonlySet<string> = new Set(["messages"]);

/** Number of bytes that are parsed again in one step, unless a single message is longer. */
const STEP_BYTES = HUGE_TEXT;

/**
 * Restores the spelling of tool-call arguments in Anthropic's messages, which hold them as JSON values. The prompt must show
 * them as the model wrote them. Only messages in which `JSON.parse` may have changed a value are parsed again.
 *
 * @param text the body
 * @param messages the parsed messages of the body
 * @returns `messages` itself if nothing was restored
 */
export function* restoreCallSpelling(text: string, messages: readonly unknown[]): Steps<readonly unknown[]> {
  if (!messages.some(mayHaveLostSpelling)) return messages;
  const field = readFieldTexts(text, MESSAGES).get("messages") ?? "";
  yield;
  const json = Buffer.from(field);
  const ends = findElementEnds(json, 1);
  if (ends.length !== messages.filter(isObject).length) return messages;
  const restored: unknown[] = [];
  let next = 0;
  let parsed = 0;
  for (const message of messages) {
    restored.push(message);
    if (!isObject(message)) continue;
    const [start, end = json.length] = [json.indexOf("{", ends[next - 1] ?? 1), ends[next]];
    next++;
    if (!mayHaveLostSpelling(message)) continue;
    parsed += end - start;
    if (parsed > STEP_BYTES) {
      yield;
      parsed = end - start;
    }
    restored[restored.length - 1] = yield* reparse(json.subarray(start, end), message);
  }
  return restored;
}

/**
 * Parses a message again. If its text has another value, the message stays as it is: a body can have `messages` twice, once
 * with an escaped name, and the text is then that of another message.
 */
function* reparse(json: Buffer, message: object): Steps<unknown> {
  const isLong = json.length > STEP_BYTES;
  const text = json.toString();
  if (!isShallow(message)) return message;
  const written = JSON.stringify(message);
  if (isLong) yield;
  const again: unknown = JSON.parse(text);
  if (isLong) yield;
  if (JSON.stringify(again) !== written) return message;
  if (isLong) yield;
  return parseSpelled(text);
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
