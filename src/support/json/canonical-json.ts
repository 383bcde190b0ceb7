import type { Steps } from "../async/steps.js";
import { type JsonBuilder, JsonError, parseJson } from "./parse-json.js";

/**
 * Returns the same text for all JSON texts of the same value: no white space, keys sorted by UTF-16 code units, numbers
 * as exact decimals. Numbers are not rounded, so that 12345678901234567890 and 12345678901234567891 differ. It runs in steps, for texts
 * of tens of thousands of values.
 *
 * @returns undefined if the text is not JSON
 */
export function* canonicalJson(text: string): Steps<string | undefined> {
  try {
    return yield* parseJson(text, CANONICAL);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

// Strings are joined with `+`, which V8 keeps as a tree until the string is read. Joining arrays would copy the text at
// every level, which takes quadratic time for deeply nested input.
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

// A hostile text may have an exponent of megabytes, which BigInt would take long to read.
const MAX_EXPONENT_DIGITS = 20;

/** Returns `[-]digits`, and `e` with the power of ten unless it is 0. The digits have no zeros at either end. */
function canonicalNumber(text: string): string {
  if (isCanonical(text)) return text;
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  const [, sign = "", whole = "", fraction = "", power = "0"] = match ?? [];
  if (match === null || power.length > MAX_EXPONENT_DIGITS)
    throw new JsonError("JSON has a number that is out of range");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.slice(0, lengthWithoutZeros(digits));
  if (significant === "") return "0";
  const shift = digits.length - significant.length - fraction.length;
  // A short power is exact as a number, which takes a fraction of the time.
  const exponent = power.length <= MAX_SAFE_DIGITS ? Number(power) + shift : BigInt(power) + BigInt(shift);
  return `${sign}${significant}${exponent === 0 || exponent === 0n ? "" : `e${exponent}`}`;
}

/** Digits of which every integer is exact as a number, also after a length is added. */
const MAX_SAFE_DIGITS = 15;

/** Returns true for most integers: they have no zeros at either end. */
function isCanonical(text: string): boolean {
  return !text.endsWith("0") && /^-?[1-9][0-9]*$/.test(text);
}

// Not a regular expression: it would try every zero of the text as a start, which takes quadratic time.
function lengthWithoutZeros(digits: string): number {
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  return length;
}
