import {
  ArrayValue,
  BooleanValue,
  FloatValue,
  IntegerValue,
  type Key,
  NullValue,
  ObjectValue,
  StringValue,
  type Value,
} from "./jinja.js";
import { floatRepr } from "./python-text.js";
import { Lazy, RenderError, typeName } from "./values.js";

/** Options of Python's `json.dumps`. */
export interface DumpsOptions {
  readonly indent: string | undefined;
  readonly ensureAscii: boolean;
  readonly sortKeys: boolean;
  /** Between items and between key and value. */
  readonly separators: readonly [string, string];
}

/**
 * Python's `json.dumps(value)`. `transformers` gives templates this instead of Jinja2's own `tojson`, with
 * `ensure_ascii=False` and without escaping for HTML.
 */
export function dumps(value: Value, options: DumpsOptions, depth = 0): string {
  if (value instanceof StringValue) return quote(value.value, options);
  if (value instanceof NullValue) return "null";
  if (value instanceof BooleanValue) return value.value ? "true" : "false";
  if (value instanceof IntegerValue) return value.value.toString();
  if (value instanceof FloatValue) return number(value.value);
  if (value instanceof ArrayValue && !(value instanceof Lazy)) {
    const items = value.value.map((item) => dumps(item, options, depth + 1));
    return wrap("[", items, "]", options, depth);
  }
  if (value instanceof ObjectValue) return wrap("{", members(value.value, options, depth), "}", options, depth);
  const type = value instanceof Lazy ? "generator" : typeName(value);
  throw new RenderError(`Object of type ${type} is not JSON serializable`);
}

function members(entries: ReadonlyMap<Key, Value>, options: DumpsOptions, depth: number): string[] {
  const ordered = options.sortKeys ? [...entries].sort(([a], [b]) => (a < b ? -1 : 1)) : [...entries];
  return ordered.map(
    ([key, item]) => quote(String(key), options) + options.separators[1] + dumps(item, options, depth + 1),
  );
}

function wrap(open: string, items: readonly string[], close: string, options: DumpsOptions, depth: number): string {
  if (items.length === 0) return open + close;
  if (options.indent === undefined) return open + items.join(options.separators[0]) + close;
  const line = `\n${options.indent.repeat(depth)}`;
  return `${open}${line}${options.indent}${items.join(`${options.separators[0]}${line}${options.indent}`)}${line}${close}`;
}

function number(value: number): string {
  if (Number.isFinite(value)) return floatRepr(value);
  return Number.isNaN(value) ? "NaN" : `${value > 0 ? "" : "-"}Infinity`;
}

// JSON.stringify escapes what Python does, plus lone surrogates, which no text here has.
function quote(text: string, options: DumpsOptions): string {
  const json = JSON.stringify(text);
  if (!options.ensureAscii) return json;
  return json.replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
