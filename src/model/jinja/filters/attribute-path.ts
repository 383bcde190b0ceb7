import { RenderError } from "../errors.js";
import { getItem } from "../values/subscript.js";
import { isInt, isText, plainText, typeName, Undefined, type Value } from "../values/value.js";

/** Reads an attribute by its path, such as `function.name` or `0`, with a value for where it is missing. */
export function attributeGetter(attribute: Value, otherwise?: Value): (item: Value) => Value {
  const path = readPath(attribute);
  return (item) => {
    let value = item;
    for (const key of path) {
      value = getItem(value, key);
      if (otherwise !== undefined && value instanceof Undefined) return otherwise;
    }
    return value;
  };
}

function readPath(attribute: Value): Value[] {
  if (isInt(attribute)) return [attribute];
  if (!isText(attribute)) throw new RenderError(`an attribute's name is a string, not ${typeName(attribute)}`);
  return plainText(attribute)
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
