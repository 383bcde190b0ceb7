import { RenderError } from "./errors.js";
import { strftime } from "./text/strftime.js";
import { requiredText } from "./values/argument-values.js";
import { toKey } from "./values/dict-keys.js";
import { itemsIn } from "./values/iterate.js";
import { Namespace } from "./values/namespace.js";
import { pyStr } from "./values/repr.js";
import { type Callable, isDict, type Key, toNumber, type Value } from "./values/value.js";

/** Returns the global variables of Jinja2 and `transformers`. `strftime_now` formats the time that `now` returns. */
export function globalVariables(now: () => Date): ReadonlyMap<string, Value> {
  return new Map<string, Value>([
    ...PURE_FUNCTIONS,
    ["strftime_now", ([format]) => strftime(requiredText(format), now())],
  ]);
}

/** Returns true for a global function whose result depends only on its arguments. */
export const isPureGlobal = (callee: Callable): boolean => pureFunctions.has(callee);

const raise: Callable = ([message]) => {
  throw new RenderError(message === undefined ? "the template raised an exception" : pyStr(message));
};

// Unlike in Python, a range is a complete list here. No template needs a longer one.
const MAX_RANGE = 1_000_000;

const range: Callable = (args) => {
  const [first = 0, second, step = 1] = args.map((value) => Number(toNumber(value) ?? Number.NaN));
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!Number.isInteger(length)) throw new RenderError("range() requires integers and a step other than 0");
  if (length > MAX_RANGE) throw new RenderError(`range() must have at most ${MAX_RANGE} items; received ${length}`);
  return Array.from({ length }, (_, index) => start + index * step);
};

/** `dict(mapping or pairs, key=value, …)`. */
const makeDict: Callable = ([source], keywords) => {
  const entries = source === undefined ? [] : entriesIn(source);
  return new Map<Key, Value>([...entries, ...keywords]);
};

/** `namespace(mapping or pairs, name=value, …)`. */
const makeNamespace: Callable = (args, keywords) => {
  if (args.length > 1) throw new RenderError(`namespace expected at most 1 argument, got ${args.length}`);
  const entries = args.flatMap(entriesIn).map(([key, value]): [string, Value] => {
    if (typeof key !== "string") throw new RenderError("namespace keys must be strings");
    return [key, value];
  });
  return new Namespace([...entries, ...keywords]);
};

function entriesIn(source: Value): [Key, Value][] {
  if (isDict(source)) return [...source];
  return itemsIn(source).map((pair) => {
    const [key, value, ...more] = itemsIn(pair);
    if (key === undefined || value === undefined || more.length > 0) {
      throw new RenderError("dict() and namespace() require pairs of key and value");
    }
    return [toKey(key), value];
  });
}

const PURE_FUNCTIONS: ReadonlyMap<string, Callable> = new Map([
  ["range", range],
  ["dict", makeDict],
  ["namespace", makeNamespace],
  ["raise_exception", raise],
]);
const pureFunctions: ReadonlySet<Callable> = new Set(PURE_FUNCTIONS.values());
