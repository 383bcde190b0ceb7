import { valueAt } from "../values/dict-keys.js";
import { itemTuples, keyValue } from "../values/iterate.js";
import { type Callable, type Dict, NONE, type Undefined } from "../values/value.js";
import { type Method, unsafeMethod } from "./method.js";

const METHODS: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  ["get", (dict, [key, absent]) => (key === undefined ? undefined : valueAt(dict, key)) ?? absent ?? NONE],
  ["items", itemTuples],
  ["keys", (dict) => [...dict.keys()].map(keyValue)],
  ["values", (dict) => [...dict.values()]],
  ["copy", (dict) => dict],
]);

const CHANGING = new Set(["clear", "pop", "popitem", "setdefault", "update"]);

/** Returns the method of that name, bound to the dict; undefined if Python's `dict` has none. */
export function dictMethod(dict: Dict, name: string): Callable | Undefined | undefined {
  const method = METHODS.get(name);
  if (method !== undefined) return (args, keywords) => method(dict, args, keywords);
  return CHANGING.has(name) ? unsafeMethod(dict, name) : undefined;
}
