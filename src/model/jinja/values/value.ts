import { RenderError } from "../errors.js";

/**
 * Python's values in JavaScript. A value is a JavaScript value of the same meaning if there is one: a string for `str`,
 * a boolean for `bool`, an array for `list`, a Map for `dict`, a function for everything that can be called. The
 * others have a class of their own. JavaScript's `undefined` is never a value: it stands for the absence of one.
 */
export type Value =
  | boolean
  | Int
  | Float
  | Text
  | List
  | Tuple
  | Generator
  | Dict
  | Callable
  | PythonObject
  | Undefined;

/** An integer of any size: a number if that is exact, otherwise a bigint. Create it with {@link int}. */
export type Int = number | bigint;

/** A float, even if its value is whole. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Python's `str`, escaped or not. */
export type Text = string | Markup;

/** Text that is already HTML: the result of `safe`, `escape` and operations on it, as in Python's `markupsafe`. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type List = readonly Value[];

/** A tuple. If `names` are given, its items are attributes as well, as in Python's namedtuple. */
export class Tuple {
  readonly items: readonly Value[];
  readonly names: readonly string[];

  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items;
    this.names = names;
  }
}

/** The result of `map`, `select` and other filters: true even if empty; has no length, index access or JSON. */
export class Generator {
  readonly yielded: readonly Value[];

  constructor(yielded: readonly Value[]) {
    this.yielded = yielded;
  }
}

/** Keys of a dict. JSON has only strings, but templates also use numbers. Those that equal an integer are an {@link Int}. */
export type Key = string | number | bigint;
export type Dict = ReadonlyMap<Key, Value>;

export type Callable = (args: readonly Value[], keywords: Keywords) => Value;
export type Keywords = ReadonlyMap<string, Value>;
export const NO_KEYWORDS: Keywords = new Map();

/** Any other object: None, and the objects that Jinja itself passes to templates. */
export abstract class PythonObject {
  /** The name of its class in Python. */
  abstract readonly typeName: string;
  abstract attribute(name: string): Value | undefined;
  /** Python's `repr`. */
  abstract repr(): string;
}

class None extends PythonObject {
  override readonly typeName = "NoneType";
  override attribute(): undefined {
    return undefined;
  }
  override repr(): string {
    return "None";
  }
}

/** Python's None. It is not JavaScript's null, because `??` would treat that as absent. */
export const NONE: PythonObject = new None();

/** A missing name, attribute or item. It prints as the empty text; most other uses are errors. */
export class Undefined {
  readonly #describe: () => string;

  /** @param describe returns the error's message. It is lazy because most undefined values are only tested. */
  constructor(describe: () => string) {
    this.#describe = describe;
  }

  error(): RenderError {
    return new RenderError(this.#describe());
  }
}

/** Returns an integer in the form of {@link Int}. */
export function int(value: number | bigint): Int {
  const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
  // Python has no negative zero among its integers.
  return isSafe ? Number(value) + 0 : BigInt(value);
}

export const isInt = (value: Value | undefined): value is Int => typeof value === "number" || typeof value === "bigint";
export const isText = (value: Value | undefined): value is Text => typeof value === "string" || value instanceof Markup;
export const isList = (value: Value | undefined): value is List => Array.isArray(value);
export const isDict = (value: Value | undefined): value is Dict => value instanceof Map;

/** The characters of a text, escaped or not. */
export const plainText = (text: Text): string => (typeof text === "string" ? text : text.text);

/** Returns the number that Python uses for a value in arithmetic, where booleans are integers; undefined for others. */
export function toNumber(value: Value | undefined): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Float) return value.value;
  return typeof value === "boolean" ? Number(value) : undefined;
}

/** Python's `bool(value)`. */
export function truthy(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (isText(value)) return plainText(value) !== "";
  if (isList(value)) return value.length > 0;
  if (isDict(value)) return value.size > 0;
  if (value instanceof Tuple) return value.items.length > 0;
  const number = toNumber(value);
  if (number !== undefined) return Number(number) !== 0;
  return value !== NONE && !(value instanceof Undefined);
}

/** Python's name of a value's type, for messages. */
export function typeName(value: Value): string {
  if (isText(value)) return "str";
  if (isInt(value)) return "int";
  if (isList(value)) return "list";
  if (isDict(value)) return "dict";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "function") return "function";
  if (value instanceof Float) return "float";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Generator) return "generator";
  return value instanceof Undefined ? "Undefined" : value.typeName;
}
