import { RenderError } from "../errors.js";
import { equal } from "../values/compare.js";
import type { Callable, List, Tuple, Undefined, Value } from "../values/value.js";
import { type Method, unsafeMethod } from "./method.js";

const SEQUENCE_METHODS: readonly (readonly [string, Method<readonly Value[]>])[] = [
  ["count", (items, [item]) => items.filter((other) => item !== undefined && equal(item, other)).length],
  ["index", (items, [item]) => indexIn(items, item)],
];
const TUPLE_METHODS: ReadonlyMap<string, Method<readonly Value[]>> = new Map(SEQUENCE_METHODS);
const LIST_METHODS: ReadonlyMap<string, Method<readonly Value[]>> = new Map<string, Method<readonly Value[]>>([
  ...SEQUENCE_METHODS,
  ["copy", (items) => items],
]);

const CHANGING = new Set(["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"]);

/** Returns the method of that name, bound to the list; undefined if Python's `list` has none. */
export function listMethod(list: List, name: string): Callable | Undefined | undefined {
  const method = LIST_METHODS.get(name);
  if (method !== undefined) return (args, keywords) => method(list, args, keywords);
  return CHANGING.has(name) ? unsafeMethod(list, name) : undefined;
}

/** Returns a method of a tuple, or the item of that name if its items have names. */
export function tupleAttribute(tuple: Tuple, name: string): Value | undefined {
  const method = TUPLE_METHODS.get(name);
  if (method !== undefined) return (args, keywords) => method(tuple.items, args, keywords);
  return tuple.items[tuple.names.indexOf(name)];
}

function indexIn(items: readonly Value[], item: Value | undefined): number {
  const index = items.findIndex((other) => item !== undefined && equal(item, other));
  if (index < 0) throw new RenderError("item is not in list");
  return index;
}
