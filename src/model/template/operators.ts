import { compare, equal } from "./compare.js";
import { percentFormat } from "./format.js";
import { ArrayValue, FloatValue, ObjectValue, StringValue, UndefinedValue, type Value } from "./jinja.js";
import { escape, textLike } from "./markup.js";
import { valueAt } from "./members.js";
import { type Arithmetic, arithmetic } from "./numbers.js";
import { pyStr } from "./python-text.js";
import { bool, int, list, Markup, missing, numberOf, RenderError, str, tuple, typeName } from "./values.js";

/** A binary operator of Jinja2 on two evaluated operands; `and` and `or` are not among them. */
export function binary(operator: string, a: Value, b: Value): Value {
  switch (operator) {
    case "==":
      return bool(equal(a, b));
    case "!=":
      return bool(!equal(a, b));
    case "~":
      return str(pyStr(a) + pyStr(b));
    case "in":
      return bool(contains(b, a));
    case "not in":
      return bool(!contains(b, a));
    case "<":
      return bool(compare(a, b, "<") < 0);
    case "<=":
      return bool(compare(a, b, "<=") <= 0);
    case ">":
      return bool(compare(a, b, ">") > 0);
    case ">=":
      return bool(compare(a, b, ">=") >= 0);
    default:
      return calculate(operator as Arithmetic, a, b);
  }
}

/** Python's `item in container`. */
export function contains(container: Value, item: Value): boolean {
  if (container instanceof ArrayValue) return container.value.some((other) => equal(item, other));
  if (container instanceof ObjectValue) return valueAt(container, item) !== undefined;
  if (container instanceof UndefinedValue) return false;
  if (container instanceof StringValue) {
    if (item instanceof StringValue) return container.value.includes(item.value);
    throw new RenderError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  throw new RenderError(`argument of type '${typeName(container)}' is not iterable`);
}

function calculate(operator: Arithmetic, a: Value, b: Value): Value {
  if (a instanceof UndefinedValue) throw missing(a);
  if (operator === "%" && a instanceof StringValue) return textLike(a, percentFormat(a.value, b));
  if (b instanceof UndefinedValue) throw missing(b);
  const result = arithmetic(operator, a, b) ?? onSequences(operator, a, b);
  if (result !== undefined) return result;
  if (operator === "+" && a instanceof StringValue) {
    throw new RenderError(`can only concatenate str (not "${typeName(b)}") to str`);
  }
  throw new RenderError(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}

function onSequences(operator: Arithmetic, a: Value, b: Value): Value | undefined {
  if (operator === "+" && a instanceof StringValue && b instanceof StringValue) {
    const isMarkup = a instanceof Markup || b instanceof Markup;
    return isMarkup ? new Markup(escape(a) + escape(b)) : str(a.value + b.value);
  }
  if (operator === "+" && a instanceof ArrayValue && b instanceof ArrayValue && a.type === b.type) {
    const items = [...a.value, ...b.value];
    return a.type === "TupleValue" ? tuple(items) : list(items);
  }
  return operator === "*" ? (repeat(a, b) ?? repeat(b, a)) : undefined;
}

// Beyond this a template is in error or means harm.
const MAX_REPEATED = 1 << 24;

function repeat(sequence: Value, times: Value): Value | undefined {
  if (times instanceof FloatValue || numberOf(times) === undefined) return undefined;
  const count = Math.max(0, Number(numberOf(times)));
  if (sequence instanceof StringValue) {
    if (sequence.value.length * count > MAX_REPEATED) throw new RenderError("repeated text is too long");
    return textLike(sequence, sequence.value.repeat(count));
  }
  if (!(sequence instanceof ArrayValue)) return undefined;
  if (sequence.value.length * count > MAX_REPEATED) throw new RenderError("repeated list is too long");
  return list(Array.from({ length: count }, () => sequence.value).flat());
}

/** `+x` and `-x`. */
export function signed(operator: string, value: Value): Value {
  const result = arithmetic("*", value, int(operator === "-" ? -1 : 1));
  if (result !== undefined) return result;
  if (value instanceof UndefinedValue) throw missing(value);
  throw new RenderError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
}
