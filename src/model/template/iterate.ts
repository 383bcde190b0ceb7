import { ArrayValue, ObjectValue, StringValue, UndefinedValue, type Value } from "./jinja.js";
import { keyValue } from "./members.js";
import { codePoints } from "./python-string.js";
import { RenderError, str, typeName } from "./values.js";

/** What Python's iteration over a value gives: items, keys of a dict, characters; nothing for what is undefined. */
export function itemsIn(value: Value): readonly Value[] {
  if (value instanceof ArrayValue) return value.value;
  if (value instanceof ObjectValue) return [...value.value.keys()].map(keyValue);
  if (value instanceof StringValue) return codePoints(value.value).map(str);
  if (value instanceof UndefinedValue) return [];
  throw new RenderError(`'${typeName(value)}' object is not iterable`);
}
