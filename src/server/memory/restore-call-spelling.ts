import { isShallow } from "../../protocols/depth.js";
import { LONG_TEXT } from "../../support/async/event-loop.js";
import { HUGE_TEXT } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import { findElementEnds } from "../../support/json/elements.js";
import { readFieldTexts } from "../../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../support/json/spelled.js";

/** A field of requests that holds messages with calls as JSON values. */
export interface CallMessages {
  readonly name: "messages" | "contents";
  /** Returns the values of a message whose spelling a prompt can show. */
  readonly listValues: (message: unknown) => unknown[];
}

/** Number of bytes that are parsed again in one step, unless a single message is longer. */
const STEP_BYTES = HUGE_TEXT;

/**
 * Restores the spelling of tool-call arguments in Anthropic's messages and Gemini's contents, which hold them as JSON values. The
 * prompt must show them as the model wrote them. Only messages in which `JSON.parse` may have changed a value are parsed again.
 *
 * @param text the body
 * @param messages the parsed messages of the body
 * @returns `messages` itself if nothing was restored
 */
export function* restoreCallSpelling(
  text: string,
  messages: readonly unknown[],
  { name, listValues }: CallMessages,
): Steps<readonly unknown[]> {
  const mayHaveLostSpelling = (message: unknown) => listValues(message).some(mayLoseSpelling);
  if (!messages.some(mayHaveLostSpelling)) return messages;
  const field = readFieldTexts(text, new Set([name])).get(name) ?? "";
  yield;
  const json = Buffer.from(field);
  const ends = findElementEnds(json, 1);
  yield;
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
  const isLong = json.length > LONG_TEXT;
  const text = json.toString();
  if (!isShallow(message)) return message;
  const written = JSON.stringify(message);
  if (isLong) yield;
  const again: unknown = JSON.parse(text);
  if (isLong) yield;
  if (JSON.stringify(again) !== written) return message;
  if (isLong) yield;
  return yield* parseSpelled(text);
}

/** `messages` of Anthropic's API. */
export const ANTHROPIC_MESSAGES: CallMessages = {
  name: "messages",
  listValues: (message) =>
    listItems(message, "content").flatMap((block) =>
      readField(block, "type") === "tool_use" ? [readField(block, "input")] : [],
    ),
};

/** `contents` of Gemini's API. */
export const GEMINI_CONTENTS: CallMessages = {
  name: "contents",
  listValues: (content) =>
    listItems(content, "parts").flatMap((part) => [
      readField(readField(part, "functionCall") ?? readField(part, "function_call"), "args"),
      readField(readField(part, "functionResponse") ?? readField(part, "function_response"), "response"),
    ]),
};

function listItems(value: unknown, name: string): readonly unknown[] {
  const items = readField(value, name);
  return Array.isArray(items) ? items : isObject(items) ? [items] : [];
}

function readField(value: unknown, name: string): unknown {
  return isObject(value) ? (value as Record<string, unknown>)[name] : undefined;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
