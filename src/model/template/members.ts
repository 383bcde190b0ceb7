import { equal } from "./compare.js";
import {
  ArrayValue,
  IntegerValue,
  type Key,
  NamespaceValue,
  NullValue,
  ObjectValue,
  StringValue,
  TupleValue,
  type TypedValue,
  UndefinedValue,
  type Value,
} from "./jinja.js";
import { textLike } from "./markup.js";
import { codePoints, sliceOf } from "./python-string.js";
import { pyRepr } from "./python-text.js";
import { stringMethod } from "./string-methods.js";
import {
  dict,
  func,
  Group,
  int,
  list,
  Missing,
  missing,
  none,
  numberOf,
  RenderError,
  str,
  tuple,
  typeName,
} from "./values.js";

/** Bounds of a slice; undefined where they are left out. */
export type Bounds = readonly [start: number | undefined, stop: number | undefined, step: number | undefined];

/** `object.name`: methods come before the keys of a dict, as in Python. */
export function getAttribute(object: Value, name: string): Value {
  if (object instanceof UndefinedValue) throw missing(object);
  return methodOf(object, name) ?? entryOf(object, name) ?? new Missing(noAttribute(object, name));
}

/** `object[key]`: an item, or else the attribute of that name. */
export function getItem(object: Value, key: Value): Value {
  if (object instanceof UndefinedValue) throw missing(object);
  if (object instanceof ArrayValue || object instanceof StringValue) {
    const index = numberOf(key);
    if (index !== undefined)
      return itemAt(object, Number(index)) ?? new Missing(`${typeName(object)} has no element ${index}`);
  }
  if (key instanceof StringValue) {
    const found = entryOf(object, key.value) ?? methodOf(object, key.value);
    return found ?? new Missing(noAttribute(object, key.value));
  }
  const found = object instanceof ObjectValue && isHashable(key) ? valueAt(object, key) : undefined;
  return found ?? new Missing(noAttribute(object, pyRepr(key)));
}

const noAttribute = (object: Value, name: string): string => `'${typeName(object)} object' has no attribute '${name}'`;

function entryOf(object: Value, name: string): Value | undefined {
  if (object instanceof ObjectValue) return object.value.get(name);
  return object instanceof NamespaceValue ? object.value.get(name) : undefined;
}

function itemAt(object: Value, index: number): Value | undefined {
  if (object instanceof ArrayValue) return object.value.at(index);
  if (!(object instanceof StringValue)) return undefined;
  const character = codePoints(object.value).at(index);
  return character === undefined ? undefined : textLike(object, character);
}

/** A value as the key of a dict. 1, 1.0 and True are one key in Python. */
export function keyOf(value: Value): Key {
  if (value instanceof StringValue) return value.value;
  const number = numberOf(value);
  if (number !== undefined) return Number(number);
  throw new RenderError(`unhashable or unsupported key of type '${typeName(value)}'`);
}

const isHashable = (value: Value): boolean =>
  value instanceof TupleValue || !(value instanceof ArrayValue || value instanceof ObjectValue);

/** The value of a key; undefined where there is none. Keys that no dict here can have, such as None, are never there. */
export function valueAt(object: Dict, key: Value): Value | undefined {
  if (!isHashable(key)) throw new RenderError(`unhashable type: '${typeName(key)}'`);
  const isKey = key instanceof StringValue || numberOf(key) !== undefined;
  return isKey ? object.value.get(keyOf(key)) : undefined;
}

export const keyValue = (key: Key): Value => (typeof key === "string" ? str(key) : int(key));

/** `object[start:stop:step]`. */
export function getSlice(object: Value, [start, stop, step]: Bounds): Value {
  if (step === 0) throw new RenderError("slice step cannot be zero");
  if (object instanceof StringValue) {
    return textLike(object, sliceOf(codePoints(object.value), start, stop, step).join(""));
  }
  if (object instanceof ArrayValue) {
    const items = sliceOf(object.value, start, stop, step);
    return object.type === "TupleValue" ? tuple(items) : list(items);
  }
  if (object instanceof UndefinedValue) throw missing(object);
  throw new RenderError(`'${typeName(object)}' object is not subscriptable`);
}

/** The bound of a slice: an integer or None. */
export function sliceBound(value: Value): number | undefined {
  if (value instanceof IntegerValue) return Number(value.value);
  if (value instanceof NullValue || value instanceof UndefinedValue) return undefined;
  throw new RenderError("slice indices must be integers or None");
}

// Methods that change their object are refused: templates render in Jinja2's immutable sandbox.
const DICT_CHANGING = new Set(["clear", "pop", "popitem", "setdefault", "update"]);
const LIST_CHANGING = new Set(["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"]);

function methodOf(object: Value, name: string): Value | undefined {
  if (object instanceof StringValue) return stringMethod(object, name);
  if (object instanceof ObjectValue) return DICT_CHANGING.has(name) ? unsafe(object, name) : dictMethod(object, name);
  if (object instanceof ArrayValue) return LIST_CHANGING.has(name) ? unsafe(object, name) : listMethod(object, name);
  return undefined;
}

const unsafe = (object: Value, name: string): Value =>
  new Missing(`access to attribute '${name}' of '${typeName(object)}' object is unsafe.`);

type Dict = TypedValue<ReadonlyMap<Key, Value>>;

function dictMethod(object: Dict, name: string): Value | undefined {
  switch (name) {
    case "get":
      return func(([key, absent]) => (key && valueAt(object, key)) ?? absent ?? none());
    case "items":
      return func(() => list(itemsOf(object)));
    case "keys":
      return func(() => list([...object.value.keys()].map(keyValue)));
    case "values":
      return func(() => list([...object.value.values()]));
    case "copy":
      return func(() => dict(new Map(object.value)));
    default:
      return undefined;
  }
}

/** (key, value) tuples in the order of insertion. */
export function itemsOf(object: Dict): Value[] {
  return [...object.value].map(([key, value]) => tuple([keyValue(key), value]));
}

function listMethod(object: TypedValue<readonly Value[]>, name: string): Value | undefined {
  if (object instanceof Group && (name === "grouper" || name === "list")) return object.value[name === "list" ? 1 : 0];
  switch (name) {
    case "count":
      return func(([item]) => int(object.value.filter((other) => item !== undefined && equal(item, other)).length));
    case "index":
      return func(([item]) => {
        const index = object.value.findIndex((other) => item !== undefined && equal(item, other));
        if (index < 0) throw new RenderError("item is not in list");
        return int(index);
      });
    case "copy":
      return func(() => list(object.value));
    default:
      return undefined;
  }
}
