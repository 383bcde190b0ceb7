import { compare, equal } from "../compare.js";
import { itemsIn } from "../iterate.js";
import { ArrayValue, ObjectValue, StringValue, UndefinedValue, type Value } from "../jinja.js";
import { itemsOf } from "../members.js";
import { arithmetic } from "../numbers.js";
import { codePointLength, codePoints } from "../python-string.js";
import { pyStr } from "../python-text.js";
import { optionalInteger, optionalText } from "../string-methods.js";
import { Group, int, isMissing, Lazy, list, Missing, none, RenderError, str, truthy, typeName } from "../values.js";
import { attributeGetter } from "./attribute.js";
import { argument, type Filter } from "./filter.js";

/** Python's `len(value)`. */
export const length: Filter = (value) => {
  if (value instanceof StringValue) return int(codePointLength(value.value));
  if (value instanceof ArrayValue && !(value instanceof Lazy)) return int(value.value.length);
  if (value instanceof ObjectValue) return int(value.value.size);
  if (value instanceof UndefinedValue) return int(0);
  const type = value instanceof Lazy ? "generator" : typeName(value);
  throw new RenderError(`object of type '${type}' has no len()`);
};

const join: Filter = (value, call) => {
  const separator = argument(call, 0, "d");
  const attribute = argument(call, 1, "attribute");
  const get = attribute === undefined ? (item: Value): Value => item : attributeGetter(attribute);
  const texts = itemsIn(value).map((item) => pyStr(get(item)));
  return str(texts.join(separator === undefined ? "" : pyStr(separator)));
};

const reverse: Filter = (value) =>
  value instanceof StringValue
    ? str(codePoints(value.value).reverse().join(""))
    : new Lazy([...itemsIn(value)].reverse());

/** Texts compare without case unless `case_sensitive` asks for it. */
function sortKey(caseSensitive: Value | undefined, attribute: Value | undefined) {
  const get = attribute === undefined || isMissing(attribute) ? undefined : attributeGetter(attribute);
  return (item: Value): Value => {
    const key = get === undefined ? item : get(item);
    const fold = key instanceof StringValue && !truthy(caseSensitive ?? none());
    return fold ? str(key.value.toLowerCase()) : key;
  };
}

function ordered<T>(items: readonly T[], key: (item: T) => Value, isReversed: boolean): T[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  keyed.sort((a, b) => (isReversed ? compare(b.key, a.key) : compare(a.key, b.key)));
  return keyed.map(({ item }) => item);
}

const sort: Filter = (value, call) => {
  const isReversed = truthy(argument(call, 0, "reverse") ?? none());
  const key = sortKey(argument(call, 1, "case_sensitive"), argument(call, 2, "attribute"));
  return list(ordered(itemsIn(value), key, isReversed));
};

const dictsort: Filter = (value, call) => {
  if (!(value instanceof ObjectValue)) throw new RenderError(`dictsort takes a dict, not ${typeName(value)}`);
  const by = optionalText(argument(call, 1, "by")) ?? "key";
  const key = sortKey(argument(call, 0, "case_sensitive"), int(by === "key" ? 0 : 1));
  return list(ordered(itemsOf(value), key, truthy(argument(call, 2, "reverse") ?? none())));
};

const extreme =
  (sign: 1 | -1): Filter =>
  (value, call) => {
    const key = sortKey(argument(call, 0, "case_sensitive"), argument(call, 1, "attribute"));
    const better = (a: Value, b: Value): Value => (sign * compare(key(b), key(a)) > 0 ? b : a);
    const [first, ...rest] = itemsIn(value);
    return first === undefined ? new Missing("No aggregated item, sequence was empty.") : rest.reduce(better, first);
  };

const unique: Filter = (value, call) => {
  const key = sortKey(argument(call, 0, "case_sensitive"), argument(call, 1, "attribute"));
  const seen: Value[] = [];
  const kept = itemsIn(value).filter((item) => {
    const itemKey = key(item);
    if (seen.some((other) => equal(itemKey, other))) return false;
    seen.push(itemKey);
    return true;
  });
  return new Lazy(kept);
};

const sum: Filter = (value, call) => {
  const attribute = argument(call, 0, "attribute");
  const get = attribute === undefined ? (item: Value): Value => item : attributeGetter(attribute);
  return itemsIn(value).reduce<Value>(
    (total, item) => {
      const next = arithmetic("+", total, get(item));
      if (next === undefined) throw new RenderError("sum takes numbers");
      return next;
    },
    argument(call, 1, "start") ?? int(0),
  );
};

/** (value, items) tuples, ordered by the value of the attribute. */
const groupby: Filter = (value, call) => {
  const attribute = argument(call, 0, "attribute") ?? none();
  const otherwise = argument(call, 1, "default");
  const get = attributeGetter(attribute, otherwise);
  const folded = sortKey(argument(call, 2, "case_sensitive"), undefined);
  const groups: { key: Value; items: Value[] }[] = [];
  for (const item of ordered(itemsIn(value), (one) => folded(get(one)), false)) {
    const key = get(item);
    const last = groups.at(-1);
    if (last !== undefined && equal(folded(last.key), folded(key))) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return list(groups.map(({ key, items }) => new Group([key, list(items)])));
};

const batch: Filter = (value, call) => {
  const size = Math.max(1, optionalInteger(argument(call, 0, "linecount"), 1));
  const fill = argument(call, 1, "fill_with");
  const items = itemsIn(value);
  const rows: Value[] = [];
  for (let at = 0; at < items.length; at += size) {
    const row = items.slice(at, at + size);
    rows.push(list(fill === undefined ? row : [...row, ...Array.from({ length: size - row.length }, () => fill)]));
  }
  return new Lazy(rows);
};

const items: Filter = (value) => {
  if (value instanceof ObjectValue) return new Lazy(itemsOf(value));
  if (value instanceof UndefinedValue) return new Lazy([]);
  throw new RenderError("Can only get item pairs from a mapping.");
};

export const SEQUENCE_FILTERS: readonly (readonly [string, Filter])[] = [
  ["length", length],
  ["count", length],
  ["list", (value) => list(itemsIn(value))],
  ["first", (value) => itemsIn(value)[0] ?? new Missing("No first item, sequence was empty.")],
  ["last", (value) => itemsIn(value).at(-1) ?? new Missing("No last item, sequence was empty.")],
  ["items", items],
  ["join", join],
  ["reverse", reverse],
  ["sort", sort],
  ["dictsort", dictsort],
  ["min", extreme(-1)],
  ["max", extreme(1)],
  ["unique", unique],
  ["sum", sum],
  ["groupby", groupby],
  ["batch", batch],
];
