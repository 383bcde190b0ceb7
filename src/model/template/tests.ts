import { compare, equal } from "./compare.js";
import {
  ArrayValue,
  BooleanValue,
  FloatValue,
  FunctionValue,
  IntegerValue,
  NullValue,
  ObjectValue,
  StringValue,
  UndefinedValue,
  type Value,
} from "./jinja.js";
import { contains } from "./operators.js";
import { pyStr } from "./python-text.js";
import { int, Lazy, Markup, none, numberOf, RenderError } from "./values.js";

type Test = (value: Value, argument: Value) => boolean;

const isInteger = (value: Value): boolean => value instanceof IntegerValue;
const remainder = (value: Value, divisor: Value): number => Number(numberOf(value)) % Number(numberOf(divisor));
const lettersAre =
  (change: (text: string) => string): Test =>
  (value) =>
    isCased(pyStr(value), change);

const isCased = (text: string, change: (text: string) => string): boolean =>
  text === change(text) && text.toLowerCase() !== text.toUpperCase();

const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["defined", (value) => !(value instanceof UndefinedValue)],
  ["undefined", (value) => value instanceof UndefinedValue],
  ["none", (value) => value instanceof NullValue],
  ["boolean", (value) => value instanceof BooleanValue],
  ["true", (value) => value instanceof BooleanValue && value.value],
  ["false", (value) => value instanceof BooleanValue && !value.value],
  ["integer", isInteger],
  ["float", (value) => value instanceof FloatValue],
  ["number", (value) => numberOf(value) !== undefined],
  ["string", (value) => value instanceof StringValue],
  ["mapping", (value) => value instanceof ObjectValue],
  ["sequence", isSequence],
  ["iterable", (value) => isSequence(value) || value instanceof Lazy],
  ["callable", (value) => value instanceof FunctionValue],
  ["escaped", (value) => value instanceof Markup],
  ["odd", (value) => Math.abs(remainder(value, int(2))) === 1],
  ["even", (value) => remainder(value, int(2)) === 0],
  ["divisibleby", (value, divisor) => remainder(value, divisor) === 0],
  ["lower", lettersAre((text) => text.toLowerCase())],
  ["upper", lettersAre((text) => text.toUpperCase())],
  ["sameas", (value, other) => value.type === other.type && equal(value, other)],
  ["in", (value, container) => contains(container, value)],
  ...aliases(["eq", "equalto", "=="], equal),
  ...aliases(["ne", "!="], (a, b) => !equal(a, b)),
  ...aliases(["lt", "lessthan", "<"], (a, b) => compare(a, b, "<") < 0),
  ...aliases(["le", "<="], (a, b) => compare(a, b, "<=") <= 0),
  ...aliases(["gt", "greaterthan", ">"], (a, b) => compare(a, b, ">") > 0),
  ...aliases(["ge", ">="], (a, b) => compare(a, b, ">=") >= 0),
]);

function aliases(names: readonly string[], test: Test): [string, Test][] {
  return names.map((name) => [name, test]);
}

// What is undefined has a length and items in Python: none.
const SEQUENCES = [ArrayValue, StringValue, ObjectValue, UndefinedValue];

function isSequence(value: Value): boolean {
  if (value instanceof Lazy) return false;
  return SEQUENCES.some((sequence) => value instanceof sequence);
}

/** `value is name(args)`. */
export function runTest(name: string, value: Value, args: readonly Value[] = []): boolean {
  const test = TESTS.get(name);
  if (test === undefined) throw new RenderError(`No test named '${name}'.`);
  return test(value, args[0] ?? none());
}
