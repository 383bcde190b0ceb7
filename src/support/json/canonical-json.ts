import { type JsonBuilder, JsonError, parseJson } from "./parse.js";

/**
 * One spelling for all JSON texts of the same value: no white space, keys sorted by UTF-16 code units, numbers as
 * exact decimals. Nothing is rounded, so that 12345678901234567890 and 12345678901234567891 stay apart.
 *
 * @returns undefined where the text is not JSON
 */
export function canonicalJson(text: string): string | undefined {
  try {
    return parseJson(text, CANONICAL);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

// Texts are joined with `+`, which the engine keeps as a tree until it is read: copying at every level would cost
// the square of the text for deeply nested input.
const CANONICAL: JsonBuilder<string> = {
  string: (value) => JSON.stringify(value),
  number: canonicalNumber,
  literal: (value) => String(value),
  array: (items) => {
    let out = "[";
    for (const [index, item] of items.entries()) out = index === 0 ? out + item : `${out},${item}`;
    return `${out}]`;
  },
  object: (entries) => {
    let out = "{";
    for (const key of [...entries.keys()].sort()) {
      const value = entries.get(key) ?? "";
      out = `${out.length === 1 ? out : `${out},`}${JSON.stringify(key)}:${value}`;
    }
    return `${out}}`;
  },
};

// Longer ones would cost BigInt more than they can mean.
const MAX_EXPONENT_DIGITS = 20;

/** `[-]digits`, then `e` and the power of ten where it is not 0; digits without zeros at either end. */
function canonicalNumber(text: string): string {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  const [, sign = "", whole = "", fraction = "", power = "0"] = match ?? [];
  if (match === null || power.length > MAX_EXPONENT_DIGITS) throw new JsonError("number out of range in JSON");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.slice(0, lengthWithoutZeros(digits));
  if (significant === "") return "0";
  const exponent = BigInt(power) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}${exponent === 0n ? "" : `e${exponent}`}`;
}

// A regular expression for trailing zeros tries every zero of the text as a start, which is quadratic.
function lengthWithoutZeros(digits: string): number {
  let length = digits.length;
  while (length > 0 && digits[length - 1] === "0") length--;
  return length;
}
