import { RenderError } from "../errors.js";
import { codePoints, takeSlice } from "../text/python-string.js";
import { findAttribute, noAttribute, noElement } from "./attributes.js";
import { isHashable, valueAt } from "./dict-keys.js";
import { sequenceItems } from "./iterate.js";
import { textLike } from "./markup.js";
import {
  Float,
  isDict,
  isList,
  isText,
  NONE,
  plainText,
  Tuple,
  toNumber,
  typeName,
  Undefined,
  type Value,
} from "./value.js";

/** `object[key]`: an item, or else the attribute of that name. */
export function getItem(object: Value, key: Value): Value {
  if (object instanceof Undefined) throw object.error();
  if (isText(key)) {
    const name = plainText(key);
    const entry = isDict(object) ? object.get(name) : undefined;
    return entry ?? findAttribute(object, name) ?? noAttribute(object, name);
  }
  const index = key instanceof Float ? undefined : toNumber(key);
  const item = index === undefined ? undefined : itemAt(object, Number(index));
  const entry = isDict(object) && isHashable(key) ? valueAt(object, key) : item;
  return entry ?? noElement(object, key);
}

function itemAt(object: Value, index: number): Value | undefined {
  if (!isText(object)) return sequenceItems(object)?.at(index);
  const character = codePoints(plainText(object)).at(index);
  return character === undefined ? undefined : textLike(object, character);
}

/** Bounds of a slice; undefined if left out. */
export interface SliceBounds {
  readonly start: Value | undefined;
  readonly stop: Value | undefined;
  readonly step: Value | undefined;
}

/** `object[start:stop:step]`. */
export function getSlice(object: Value, { start, stop, step }: SliceBounds): Value {
  if (object instanceof Undefined) throw object.error();
  const slice = <T>(items: readonly T[]): T[] =>
    takeSlice(items, boundNumber(start), boundNumber(stop), boundNumber(step));
  if (isText(object)) return textLike(object, slice(codePoints(plainText(object))).join(""));
  if (isList(object)) return slice(object);
  if (object instanceof Tuple) return new Tuple(slice(object.items));
  throw new RenderError(`'${typeName(object)}' object is not subscriptable`);
}

function boundNumber(bound: Value = NONE): number | undefined {
  if (bound === NONE) return undefined;
  const number = bound instanceof Float ? undefined : toNumber(bound);
  if (number === undefined) throw new RenderError("slice indices must be integers or None");
  return Number(number);
}
