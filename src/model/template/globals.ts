import { itemsIn } from "./iterate.js";
import { Environment, type Key, ObjectValue, type Scope, type Value } from "./jinja.js";
import { keyOf } from "./members.js";
import { pyStr } from "./python-text.js";
import { strftime } from "./strftime.js";
import { requiredText } from "./string-methods.js";
import { bool, dict, func, int, list, none, numberOf, RenderError, splitArguments, str } from "./values.js";

/** A scope with what Jinja2 and `transformers` give every template. `now` is what `strftime_now` shows. */
export function globalScope(now: () => Date): Scope {
  const scope = new Environment();
  for (const name of ["true", "True"]) scope.setVariable(name, bool(true));
  for (const name of ["false", "False"]) scope.setVariable(name, bool(false));
  for (const name of ["none", "None"]) scope.setVariable(name, none());
  scope.setVariable("range", func(range));
  scope.setVariable("dict", func(makeDict));
  scope.setVariable("raise_exception", func(raise));
  scope.setVariable(
    "strftime_now",
    func(([format]) => str(strftime(requiredText(format), now()))),
  );
  return scope;
}

function raise([message]: readonly Value[]): never {
  throw new RenderError(message === undefined ? "the template raised an exception" : pyStr(message));
}

// A range is made whole here, where Python counts along; no template needs a longer one.
const MAX_RANGE = 1_000_000;

function range(args: readonly Value[]): Value {
  const [first = 0, second, step = 1] = args.map((value) => Number(numberOf(value) ?? Number.NaN));
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!Number.isInteger(length)) throw new RenderError("range() takes integers, and a step that is not 0");
  if (length > MAX_RANGE) throw new RenderError(`range() of more than ${MAX_RANGE} items`);
  return list(Array.from({ length }, (_, index) => int(start + index * step)));
}

/** `dict(mapping or pairs, key=value, …)`. */
function makeDict(args: readonly Value[]): Value {
  const [[source], keywords] = splitArguments(args);
  const entries = new Map<Key, Value>(source instanceof ObjectValue ? source.value : pairsIn(source));
  for (const [key, value] of keywords) entries.set(key, value);
  return dict(entries);
}

function pairsIn(source: Value | undefined): [Key, Value][] {
  const pairs = source === undefined ? [] : itemsIn(source);
  return pairs.map((pair) => {
    const [key, value] = itemsIn(pair);
    if (key === undefined || value === undefined) throw new RenderError("dict() takes pairs of key and value");
    return [keyOf(key), value];
  });
}
