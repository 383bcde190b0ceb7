import { type JsonBuilder, parseJson } from "../json/parse.js";
import type { Value } from "./jinja.js";
import { bool, dict, float, int, list, none, str } from "./values.js";

// Python's json module gives up at about a thousand levels; filters walk values recursively.
const MAX_DEPTH = 256;

const VALUES: JsonBuilder<Value> = {
  string: str,
  number: (text) => (/[.eE]/.test(text) ? float(Number(text)) : int(BigInt(text))),
  literal: (value) => (value === null ? none() : bool(value)),
  array: list,
  object: dict,
};

/**
 * JSON text as a value for templates, as Python's `json.loads` reads it: 1.0 stays a float, integers stay exact, keys
 * stay in their order.
 *
 * @throws JsonError where it is not JSON, JsonDepthError where it nests too deeply
 */
export const fromJson = (text: string): Value => parseJson(text, VALUES, MAX_DEPTH);
