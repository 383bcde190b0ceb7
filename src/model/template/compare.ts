import { ArrayValue, ObjectValue, StringValue, type Value } from "./jinja.js";
import { isMissing, missing, numberOf, RenderError, typeName } from "./values.js";

/** Python's `a == b`. */
export function equal(a: Value, b: Value): boolean {
  const number = numberOf(a);
  const other = numberOf(b);
  // Not `===`: a number and a bigint are equal by value.
  if (number !== undefined && other !== undefined) return number <= other && number >= other;
  if (a.type !== b.type) return false;
  if (a instanceof ArrayValue && b instanceof ArrayValue) return equalItems(a.value, b.value);
  if (a instanceof ObjectValue && b instanceof ObjectValue) {
    return a.value.size === b.value.size && [...a.value].every(([key, item]) => equalEntry(item, b.value.get(key)));
  }
  return a.value === b.value;
}

const equalEntry = (item: Value, other: Value | undefined): boolean => other !== undefined && equal(item, other);

function equalItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, index) => equalEntry(item, b[index]));
}

/** Python's order: negative where a comes before b. Only numbers, texts and sequences of them have one. */
export function compare(a: Value, b: Value, operator = "<"): number {
  const number = numberOf(a);
  const other = numberOf(b);
  if (number !== undefined && other !== undefined) return number < other ? -1 : number > other ? 1 : 0;
  if (a instanceof StringValue && b instanceof StringValue) return compareText(a.value, b.value);
  if (a instanceof ArrayValue && b instanceof ArrayValue && a.type === b.type) {
    return compareItems(a.value, b.value, operator);
  }
  if (isMissing(a)) throw missing(a);
  if (isMissing(b)) throw missing(b);
  throw new RenderError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

function compareItems(a: readonly Value[], b: readonly Value[], operator: string): number {
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (!equal(item, other)) return compare(item, other, operator);
  }
  return a.length - b.length;
}

/** By code points; JavaScript's own order, by code units, puts astral characters before U+E000. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) return (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0);
  }
  return a.length - b.length;
}
