import { equal } from "./compare.js";
import {
  ArrayValue,
  type Key,
  type NamedNode,
  type Node,
  type Scope,
  StringValue,
  type TupleNode,
  type Value,
} from "./jinja.js";
import { codePoints } from "./python-string.js";
import { bool, dict, func, int, list, Missing, RenderError, splitArguments, str, typeName } from "./values.js";

/** Gives the names of a loop or an assignment their values, unpacking what a tuple of names is for. */
export function bindTarget(target: Node, value: Value, scope: Scope): void {
  if (target.type === "Identifier") {
    scope.setVariable((target as NamedNode).value, value);
    return;
  }
  if (target.type !== "TupleLiteral") throw new RenderError(`cannot assign to ${target.type}`);
  const targets = (target as TupleNode).value;
  const values = unpacked(value);
  if (values.length < targets.length) {
    throw new RenderError(`not enough values to unpack (expected ${targets.length}, got ${values.length})`);
  }
  if (values.length > targets.length) throw new RenderError(`too many values to unpack (expected ${targets.length})`);
  for (const [index, name] of targets.entries()) bindTarget(name, values[index] ?? new Missing("missing item"), scope);
}

function unpacked(value: Value): readonly Value[] {
  if (value instanceof ArrayValue) return value.value;
  if (value instanceof StringValue) return codePoints(value.value).map(str);
  throw new RenderError(`cannot unpack non-iterable ${typeName(value)} object`);
}

/** The `loop` variable in the iteration of that index. `previous` is shared by the iterations, for `loop.changed`. */
export function loopVariable(items: readonly Value[], index: number, previous: { values?: Value }): Value {
  const length = items.length;
  const entries: [Key, Value][] = [
    ["index", int(index + 1)],
    ["index0", int(index)],
    ["revindex", int(length - index)],
    ["revindex0", int(length - index - 1)],
    ["first", bool(index === 0)],
    ["last", bool(index === length - 1)],
    ["length", int(length)],
    ["previtem", items[index - 1] ?? new Missing("there is no previous item")],
    ["nextitem", items[index + 1] ?? new Missing("there is no next item")],
    ["cycle", func((args) => args[index % args.length] ?? new Missing("no items for cycling given"))],
    ["changed", func((args) => bool(changed(args, previous)))],
  ];
  return dict(new Map(entries));
}

function changed(args: Value[], previous: { values?: Value }): boolean {
  const values = list(splitArguments(args)[0]);
  if (previous.values !== undefined && equal(previous.values, values)) return false;
  previous.values = values;
  return true;
}

/** What `{% break %}` and `{% continue %}` throw to their loop. */
export class LoopControl extends Error {
  readonly kind: "Break" | "Continue";
  /** What the iteration had printed when it was left. */
  printed = "";

  constructor(kind: "Break" | "Continue") {
    super(`${kind} outside of a loop`);
    this.kind = kind;
  }
}
