import {
  ArrayValue,
  BooleanValue,
  FloatValue,
  FunctionValue,
  IntegerValue,
  type Key,
  KeywordArguments,
  NullValue,
  ObjectValue,
  quickClass,
  StringValue,
  type TemplateFunction,
  TupleValue,
  type TypedValue,
  UndefinedValue,
  type Value,
} from "./jinja.js";

/** What Python raises while a template runs, in the words of Python where templates are likely to run into it. */
export class RenderError extends Error {
  override readonly name: string = "RenderError";
}

/** Text that is already HTML: what `safe`, `escape` and operations on them give, as in Python's `markupsafe`. */
export class Markup extends StringValue {}

/** What `map`, `select` and their kin give: a generator in Python, true even when empty, without length or JSON. */
export class Lazy extends ArrayValue {
  override __bool__(): Value {
    return bool(true);
  }
}

/** What `groupby` gives: a tuple whose items are also the attributes `grouper` and `list`. */
export class Group extends TupleValue {}

/** A name or attribute that is not there. Using it is an error that says what was missing. */
export class Missing extends UndefinedValue {
  readonly reason: string;

  constructor(reason: string) {
    super(undefined);
    this.reason = reason;
  }
}

const QuickString = quickClass(StringValue, "StringValue");
const QuickInteger = quickClass(IntegerValue, "IntegerValue");
const QuickArray = quickClass(ArrayValue, "ArrayValue");
const QuickObject = quickClass(ObjectValue, "ObjectValue");
const QuickFunction = quickClass(FunctionValue, "FunctionValue");
const [TRUE, FALSE, NONE] = [new BooleanValue(true), new BooleanValue(false), new NullValue(null)];

export const str = (value: string): TypedValue<string> => new QuickString(value);
export const bool = (value: boolean): TypedValue<boolean> => (value ? TRUE : FALSE);
export const float = (value: number): TypedValue<number> => new FloatValue(value);
export const none = (): Value => NONE;
export const list = (items: readonly Value[]): TypedValue<readonly Value[]> => new QuickArray(items);
export const tuple = (items: readonly Value[]): TypedValue<readonly Value[]> => new TupleValue(items);
export const dict = (entries: ReadonlyMap<Key, Value>): TypedValue<ReadonlyMap<Key, Value>> => new QuickObject(entries);
export const func = (call: TemplateFunction): Value => new QuickFunction(call);

/** An integer of any size. */
export function int(value: number | bigint): TypedValue<number | bigint> {
  const exact = typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
  return new QuickInteger(exact ? Number(value) : value);
}

/** Is it the same text in Python: a `str`, escaped or not. */
export const isText = (value: Value | undefined): value is TypedValue<string> => value instanceof StringValue;
export const isMissing = (value: Value | undefined): boolean => value === undefined || value instanceof UndefinedValue;

/** Python's truth value. Only containers and None have one of their own; `__bool__` would make a value to say so. */
export const truthy = (value: Value): boolean =>
  typeof value.value === "object" ? value.__bool__().value === true : Boolean(value.value);

/** The number that Python takes a value for in arithmetic; booleans are integers there. */
export function numberOf(value: Value): number | bigint | undefined {
  if (value instanceof IntegerValue || value instanceof FloatValue) return value.value;
  return value instanceof BooleanValue ? Number(value.value) : undefined;
}

/** An error for the use of a value that is not there. */
export function missing(value: Value): RenderError {
  return new RenderError(value instanceof Missing ? value.reason : "a value is undefined");
}

/** Splits a call's arguments into positional and keyword ones. */
export function splitArguments(args: readonly Value[]): [readonly Value[], ReadonlyMap<string, Value>] {
  const last = args.at(-1);
  return last instanceof KeywordArguments ? [args.slice(0, -1), last.value] : [args, new Map()];
}

/** Python's name of a value's type, for messages. */
export function typeName(value: Value): string {
  return TYPE_NAMES.get(value.type) ?? value.type;
}

const TYPE_NAMES = new Map([
  ["StringValue", "str"],
  ["BooleanValue", "bool"],
  ["NullValue", "NoneType"],
  ["UndefinedValue", "Undefined"],
  ["IntegerValue", "int"],
  ["FloatValue", "float"],
  ["ArrayValue", "list"],
  ["TupleValue", "tuple"],
  ["ObjectValue", "dict"],
  ["NamespaceValue", "Namespace"],
  ["FunctionValue", "function"],
]);
