import { CALL_BODY, definedMacro, type Macro } from "../compile/macro.js";
import type { Scope } from "../compile/scope.js";
import { isPureGlobal } from "../globals.js";
import { Namespace } from "../values/namespace.js";
import { type Callable, isDict, isList, NONE, type PythonObject, type Value } from "../values/value.js";

/**
 * Describes the values of a loop's inputs before it ran, so that those of a later rendering can be compared with them. It keeps no
 * list and no dict in memory, because a session keeps it with the text of its prompt.
 */
export type RecordedInputs = readonly RecordedInput[];

type RecordedInput = Same | ObjectId | RecordedNamespace | Alias;

/** Inputs that are compared with `===`. An undefined variable is `undefined`; a symbol stands for values that are not kept. */
type Same = undefined | string | number | bigint | boolean | symbol | PythonObject | Callable | Macro;

class ObjectId {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

class RecordedNamespace {
  readonly entries: readonly (readonly [string, RecordedInput])[];

  constructor(entries: readonly (readonly [string, RecordedInput])[]) {
    this.entries = entries;
  }
}

/** The same namespace as the input at `index`, which is an earlier one. */
class Alias {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

const EMPTY_LIST = Symbol("[]");

/** Stands for a value that each rendering may create anew, such as a list, so it cannot be compared. */
const INCOMPARABLE = Symbol("incomparable");

/**
 * Describes the values that these names have in `scope`, the scope of the loop.
 *
 * @returns undefined if a value cannot be compared with that of another rendering
 */
export function recordInputs(names: readonly string[], scope: Scope): RecordedInputs | undefined {
  const values = names.map((name) => scope.get(name));
  const inputs: RecordedInput[] = [];
  for (const [index, value] of values.entries()) {
    const input =
      value instanceof Namespace
        ? recordNamespace(value, values.indexOf(value), index, scope)
        : recordInput(value, scope);
    if (input === INCOMPARABLE) return undefined;
    inputs.push(input);
  }
  return inputs;
}

/** @param first index of the first input that is this namespace */
function recordNamespace({ entries }: Namespace, first: number, index: number, scope: Scope): RecordedInput {
  if (first < index) return new Alias(first);
  const recorded = [...entries].map(([name, value]) => [name, recordInput(value, scope)] as const);
  return recorded.some(([, input]) => input === INCOMPARABLE) ? INCOMPARABLE : new RecordedNamespace(recorded);
}

export function areSameInputs(a: RecordedInputs, b: RecordedInputs): boolean {
  return a.length === b.length && a.every((input, index) => isSameInput(input, b[index]));
}

function isSameInput(a: RecordedInput, b: RecordedInput): boolean {
  if (a instanceof ObjectId) return b instanceof ObjectId && a.id === b.id;
  if (a instanceof Alias) return b instanceof Alias && a.index === b.index;
  if (!(a instanceof RecordedNamespace)) return a === b;
  if (!(b instanceof RecordedNamespace) || a.entries.length !== b.entries.length) return false;
  return a.entries.every(([name, input], index) => {
    const other = b.entries[index];
    return other !== undefined && name === other[0] && isSameInput(input, other[1]);
  });
}

function recordInput(value: Value | undefined, scope: Scope): RecordedInput {
  if (typeof value === "function") {
    if (isPureGlobal(value)) return value;
    const defined = definedMacro(value);
    // The variables of a macro that is defined in the loop's scope are inputs too. Those of others and of a call's body are not known.
    const isKnown = defined?.scope === scope && defined.macro.name !== CALL_BODY;
    return isKnown ? defined.macro : INCOMPARABLE;
  }
  if (isDict(value)) return new ObjectId(objectId(value));
  if (isList(value)) return value.length === 0 ? EMPTY_LIST : INCOMPARABLE;
  if (typeof value !== "object") return value;
  return value === NONE ? NONE : INCOMPARABLE;
}

const ids = new WeakMap<object, number>();
let lastId = 0;

/** Returns a number that identifies an object. */
export function objectId(value: object): number {
  const known = ids.get(value);
  if (known !== undefined) return known;
  lastId++;
  ids.set(value, lastId);
  return lastId;
}
