import type { Steps } from "../async/steps.js";
import { type JsonBuilder, parseJson } from "./parse-json.js";

/**
 * A number with its spelling, such as 1.0 or an integer of 20 digits, which `JSON.parse` would change. It is a
 * `Number`, so that it can be used in arithmetic and comparisons.
 */
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
 * Parses JSON like `JSON.parse`, but keeps the spelling that a prompt shows. Numbers that would change are
 * {@link SpelledNumber}s, and objects list their keys in the order of the text, also keys that look like indices.
 *
 * @throws JsonError
 */
export const parseSpelled = (text: string): Steps<unknown> => parseJson(text, SPELLED);

const isIndex = (key: string): boolean => /^(?:0|[1-9][0-9]*)$/.test(key);

/**
 * Returns an object that lists its keys in the order of the entries.
 *
 * JavaScript objects list keys that look like indices first: of `{"b": 0, "1": 0}` a plain object lists "1" before "b",
 * and a prompt would show the keys in another order than the request. A Proxy with `ownKeys` is the only way to change
 * that. `Object.keys`, `Object.entries` and `JSON.stringify` all use it. The trap may return `keys` because they are
 * exactly the keys of the object.
 */
function inOrder(entries: ReadonlyMap<string, unknown>): object {
  const object: object = Object.fromEntries(entries);
  const keys = [...entries.keys()];
  return keys.some(isIndex) ? new Proxy(object, { ownKeys: () => keys }) : object;
}

/**
 * Returns true if `JSON.parse`, which gave this value, may have lost spelling: numbers, or the order of index-like
 * keys.
 */
export function mayLoseSpelling(value: unknown): boolean {
  const stack = [value];
  while (stack.length > 0) {
    const at = stack.pop();
    if (typeof at === "number") return true;
    if (typeof at !== "object" || at === null) continue;
    if (Array.isArray(at)) {
      for (const item of at as unknown[]) {
        if (typeof item === "number") return true;
        if (typeof item === "object") stack.push(item);
      }
    } else if (hasIndexFirst(at)) return true;
    else for (const key in at) stack.push((at as Record<string, unknown>)[key]);
  }
  return false;
}

/** Returns true if JavaScript reordered keys that look like indices. It puts them first, so only the first key is checked. */
function hasIndexFirst(object: object): boolean {
  for (const key in object) return isIndex(key);
  return false;
}

/** A replacer of `JSON.stringify` for texts that are compared: two spellings of a number give different texts. */
export const keepSpelling = (_key: string, value: unknown): unknown =>
  value instanceof SpelledNumber ? { spelled: value.text } : value;

/**
 * Returns the JSON text of a value from {@link parseSpelled}, without white space. Undefined fields are left out. It
 * recurses, so the value must not be nested deeper than the call stack allows.
 */
export function stringifySpelled(value: unknown): string {
  if (value instanceof SpelledNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(stringifySpelled).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const set = Object.entries(value).filter(([, field]) => field !== undefined);
  const fields = set.map(([key, field]) => `${JSON.stringify(key)}:${stringifySpelled(field)}`);
  return `{${fields.join(",")}}`;
}
