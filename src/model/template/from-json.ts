import { type JsonBuilder, JsonError, parseJson } from "../../support/json/parse-json.js";
import { Float, int, NONE, type Value } from "../jinja/index.js";

// Python's json module gives up at about a thousand levels; filters walk values recursively.
const MAX_DEPTH = 256;

const VALUES: JsonBuilder<Value> = {
  string: (text) => text,
  number: numberValue,
  literal: (value) => value ?? NONE,
  array: (items) => items,
  object: (entries) => entries,
};

/**
 * JSON text as a value for templates, as Python's `json.loads` reads it: 1.0 stays a float, integers stay exact, keys
 * stay in their order.
 *
 * @throws JsonError where it is not JSON, JsonDepthError where it nests too deeply
 */
export const fromJson = (text: string): Value => parseJson(text, VALUES, MAX_DEPTH);

// Python refuses longer ones too: making a number of them takes the square of their length.
const MAX_DIGITS = 4300;

/**
 * The number that a JSON text spells: a float where there is a point or an exponent, else an integer of any size.
 *
 * @throws JsonError where an integer has more digits than Python takes
 */
export function numberValue(text: string): Value {
  if (/[.eE]/.test(text)) return new Float(Number(text));
  if (text.length > MAX_DIGITS) throw new JsonError(`an integer of more than ${MAX_DIGITS} digits`);
  return int(BigInt(text));
}
