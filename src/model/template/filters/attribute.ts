import { IntegerValue, StringValue, type Value } from "../jinja.js";
import { getItem } from "../members.js";
import { int, isMissing, RenderError, str, typeName } from "../values.js";

/** Reads an attribute by its path, such as `function.name` or `0`, with a value for where it is missing. */
export function attributeGetter(attribute: Value, otherwise?: Value): (item: Value) => Value {
  const path = pathOf(attribute);
  return (item) => {
    let value = item;
    for (const key of path) {
      value = getItem(value, key);
      if (otherwise !== undefined && isMissing(value)) return otherwise;
    }
    return value;
  };
}

function pathOf(attribute: Value): Value[] {
  if (attribute instanceof IntegerValue) return [attribute];
  if (!(attribute instanceof StringValue))
    throw new RenderError(`an attribute's name is a string, not ${typeName(attribute)}`);
  return attribute.value.split(".").map((part) => (/^\d+$/.test(part) ? int(Number(part)) : str(part)));
}
