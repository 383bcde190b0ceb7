import { FloatValue, IntegerValue, type Value } from "../jinja.js";
import { arithmetic, roundHalfEven } from "../numbers.js";
import { strip } from "../python-string.js";
import { optionalInteger, optionalText } from "../string-methods.js";
import { float, int, isMissing, isText, missing, numberOf, RenderError, typeName } from "../values.js";
import { argument, type Filter } from "./filter.js";

function required(value: Value): number | bigint {
  const number = numberOf(value);
  if (number === undefined) throw new RenderError(`must be a real number, not ${typeName(value)}`);
  return number;
}

const abs: Filter = (value) => {
  const negative = required(value) < 0;
  return (negative ? arithmetic("*", value, int(-1)) : undefined) ?? value;
};

const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function parsed(text: string): number | undefined {
  const trimmed = strip(text, undefined, "both");
  if (/^[+-]?(?:inf(?:inity)?|nan)$/i.test(trimmed)) {
    if (/nan/i.test(trimmed)) return Number.NaN;
    return trimmed.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  return DECIMAL.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : undefined;
}

/** Towards zero; what is not a number gives the default. */
const toInteger: Filter = (value, call) => {
  if (isMissing(value)) throw missing(value);
  const otherwise = argument(call, 0, "default") ?? int(0);
  if (value instanceof IntegerValue) return value;
  if (isText(value)) {
    const digits = strip(value.value, undefined, "both").replaceAll("_", "");
    const base = optionalInteger(argument(call, 1, "base"), 10);
    if (base === 10 && /^[+-]?\d+$/.test(digits)) return int(BigInt(digits.replace("+", "")));
    if (base !== 10) return integerOfBase(digits, base) ?? otherwise;
  }
  const number = isText(value) ? parsed(value.value) : numberOf(value);
  if (number === undefined || !Number.isFinite(Number(number))) return otherwise;
  return int(Math.trunc(Number(number)));
};

function integerOfBase(text: string, base: number): Value | undefined {
  const digits = text.replace(base === 16 ? /^0x/i : base === 2 ? /^0b/i : /^0o/i, "");
  const number = Number.parseInt(digits, base);
  return Number.isSafeInteger(number) && number.toString(base) === digits.toLowerCase() ? int(number) : undefined;
}

const toFloat: Filter = (value, call) => {
  if (isMissing(value)) throw missing(value);
  const number = isText(value) ? parsed(value.value) : numberOf(value);
  return number === undefined ? (argument(call, 0, "default") ?? float(0)) : float(Number(number));
};

const round: Filter = (value, call) => {
  const number = Number(required(value));
  const digits = optionalInteger(argument(call, 0, "precision"), 0);
  const method = optionalText(argument(call, 1, "method")) ?? "common";
  if (method === "common") {
    const rounded = roundHalfEven(number, digits);
    return value instanceof FloatValue ? float(rounded) : int(rounded);
  }
  const scale = 10 ** digits;
  return float((method === "ceil" ? Math.ceil(number * scale) : Math.floor(number * scale)) / scale);
};

export const NUMBER_FILTERS: readonly (readonly [string, Filter])[] = [
  ["abs", abs],
  ["int", toInteger],
  ["float", toFloat],
  ["round", round],
];
