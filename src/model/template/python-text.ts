import {
  ArrayValue,
  BooleanValue,
  FloatValue,
  IntegerValue,
  type Key,
  NullValue,
  ObjectValue,
  StringValue,
  TupleValue,
  UndefinedValue,
  type Value,
} from "./jinja.js";
import { Lazy, Markup, RenderError, typeName } from "./values.js";

/** Python's `str(value)`: what `{{ value }}` prints. */
export function pyStr(value: Value): string {
  if (value instanceof StringValue) return value.value;
  if (value instanceof UndefinedValue) return "";
  return pyRepr(value);
}

/** Python's `repr(value)`. */
export function pyRepr(value: Value): string {
  if (value instanceof Markup) return `Markup(${stringRepr(value.value)})`;
  if (value instanceof StringValue) return stringRepr(value.value);
  if (value instanceof NullValue) return "None";
  if (value instanceof UndefinedValue) return "Undefined";
  if (value instanceof BooleanValue) return value.value ? "True" : "False";
  if (value instanceof IntegerValue) return value.value.toString();
  if (value instanceof FloatValue) return floatRepr(value.value);
  if (value instanceof Lazy) throw new RenderError("a generator is not text: put `| list` behind the filter");
  if (value instanceof ArrayValue) return sequenceRepr(value.value, value instanceof TupleValue);
  if (value instanceof ObjectValue) return dictRepr(value.value);
  return `<${typeName(value)}>`;
}

function sequenceRepr(items: readonly Value[], isTuple: boolean): string {
  const text = items.map(pyRepr).join(", ");
  if (!isTuple) return `[${text}]`;
  return items.length === 1 ? `(${text},)` : `(${text})`;
}

function dictRepr(entries: ReadonlyMap<Key, Value>): string {
  const items = [...entries].map(([key, value]) => `${keyRepr(key)}: ${pyRepr(value)}`);
  return `{${items.join(", ")}}`;
}

const keyRepr = (key: Key): string => (typeof key === "string" ? stringRepr(key) : String(key));

/** Python's `repr(float)`: exponent form from 1e16 up and below 1e-4, with at least two digits of exponent. */
export function floatRepr(x: number): string {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  const magnitude = Math.abs(x);
  if (magnitude !== 0 && (magnitude >= 1e16 || magnitude < 1e-4)) {
    const [mantissa = "", exponent = ""] = x.toExponential().split("e");
    return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, "0")}`;
  }
  const text = Object.is(x, -0) ? "-0" : String(x);
  return text.includes(".") ? text : `${text}.0`;
}

const ESCAPES = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

// What str.isprintable() says no to: other, separators except the plain space.
const UNPRINTABLE = /[\\]|[\p{C}\p{Z}](?<! )/gu;

function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(UNPRINTABLE, (c) => ESCAPES.get(c) ?? hexEscape(c));
  return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}

function hexEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
