import { type JsonBuilder, parseJson } from "./parse.js";

/** A number that `JSON.parse` would change, such as 1.0 or one of 20 digits, with its spelling. It counts as that number. */
export class SpelledNumber extends Number {
  readonly text: string;

  constructor(text: string) {
    super(text);
    this.text = text;
  }
}

const SPELLED: JsonBuilder<unknown> = {
  string: (value) => value,
  number: (text) => (String(Number(text)) === text ? Number(text) : new SpelledNumber(text)),
  literal: (value) => value,
  array: (items) => items,
  object: inOrder,
};

/**
 * JSON as `JSON.parse` reads it, but that nothing of its spelling that a prompt shows is lost: numbers that would change
 * are {@link SpelledNumber}s, and all objects list their keys in the order of the text, 1 and 2 after b.
 *
 * @throws JsonError
 */
export const parseSpelled = (text: string): unknown => parseJson(text, SPELLED);

const isIndex = (key: string): boolean => /^(?:0|[1-9][0-9]*)$/.test(key);

// An object lists keys that look like indices first, whatever the order in which they were set.
function inOrder(entries: ReadonlyMap<string, unknown>): object {
  const object: object = Object.fromEntries(entries);
  const keys = [...entries.keys()];
  return keys.some(isIndex) ? new Proxy(object, { ownKeys: () => keys }) : object;
}

/** May the text of this value have said what the value does not? Values are as `JSON.parse` gives them. */
export function mayLoseSpelling(value: unknown): boolean {
  const stack = [value];
  while (stack.length > 0) {
    const at = stack.pop();
    if (typeof at === "number") return true;
    if (typeof at !== "object" || at === null) continue;
    if (!Array.isArray(at) && Object.keys(at).some(isIndex)) return true;
    for (const inner of Object.values(at) as unknown[]) stack.push(inner);
  }
  return false;
}

/** `JSON.stringify`'s replacer for texts that are compared: two spellings of a number are two texts. */
export const keepSpelling = (_key: string, value: unknown): unknown =>
  value instanceof SpelledNumber ? { spelled: value.text } : value;

/** The JSON text of a value that {@link parseSpelled} gave, without white space; it nests no deeper than calls may. */
export function spelledText(value: unknown): string {
  if (value instanceof SpelledNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(spelledText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${spelledText(field)}`);
  return `{${fields.join(",")}}`;
}
