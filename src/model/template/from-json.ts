import type { Steps } from "../../support/async/steps.js";
import { type JsonBuilder, JsonError, parseJson } from "../../support/json/parse-json.js";
import { Float, int, NONE, type Value } from "../jinja/index.js";

// Python's json module fails at about a thousand levels. The limit is lower because filters recurse over values.
const MAX_DEPTH = 256;

const VALUES: JsonBuilder<Value> = {
  string: (text) => text,
  number: numberValue,
  literal: (value) => value ?? NONE,
  array: (items) => items,
  object: (entries) => entries,
};

/**
 * Converts JSON text in steps to a template value like Python's `json.loads`: 1.0 stays a float, integers stay exact, keys keep
 * their order.
 *
 * @throws JsonError if the text is not JSON, JsonDepthError if it nests too deeply
 */
export const fromJson = (text: string): Steps<Value> => parseJson(text, VALUES, MAX_DEPTH);

// Python has the same limit, because parsing a longer integer takes time quadratic in its length.
const MAX_DIGITS = 4300;

/**
 * Reads a JSON number: a float if it has a point or an exponent, otherwise an integer of any size.
 *
 * @throws JsonError if an integer has more digits than Python accepts
 */
export function numberValue(text: string): Value {
  if (/[.eE]/.test(text)) return new Float(Number(text));
  if (text.length > MAX_DIGITS) throw new JsonError(`an integer of more than ${MAX_DIGITS} digits`);
  return int(BigInt(text));
}
