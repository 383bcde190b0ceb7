import type { ConditionNode, Expression, FilterNode, SliceNode } from "../ast.js";
import { parseArguments } from "./parse-arguments.js";
import { parsePrimary } from "./parse-primary.js";
import type { ParseExpression } from "./parse-tuple.js";
import type { TokenStream } from "./token-stream.js";

/**
 * Expressions, from the operators that bind least to those that bind most: `if`, `or`, `and`, `not`, comparisons, `+ -`, `~`,
 * `* / // %`, `**`, signs, then filters and tests, attributes, items and calls. All operators with two operands associate
 * to the left, `**` too.
 */
export function parseExpression(stream: TokenStream): Expression {
  let left = parseOr(stream);
  while (stream.acceptName("if")) left = parseCondition(stream, left);
  return left;
}

function parseCondition(stream: TokenStream, whenTrue: Expression): ConditionNode {
  const condition = parseOr(stream);
  const whenFalse = stream.acceptName("else") ? parseExpression(stream) : undefined;
  return { type: "Condition", condition, whenTrue, whenFalse };
}

/** An expression without `if`, as in `{% for x in items if … %}`. */
export const parseOr = (stream: TokenStream): Expression => parseLogic(stream, "or", parseAnd);

const parseAnd = (stream: TokenStream): Expression => parseLogic(stream, "and", parseNot);

function parseLogic(stream: TokenStream, operator: "and" | "or", operand: ParseExpression): Expression {
  let left = operand(stream);
  while (stream.acceptName(operator)) left = { type: "BinaryExpression", operator, left, right: operand(stream) };
  return left;
}

function parseNot(stream: TokenStream): Expression {
  if (!stream.acceptName("not")) return parseComparison(stream);
  return { type: "UnaryExpression", operator: "not", operand: parseNot(stream) };
}

function parseComparison(stream: TokenStream): Expression {
  const first = parseSum(stream);
  const rest: { operator: string; operand: Expression }[] = [];
  for (let operator = takeComparison(stream); operator !== undefined; operator = takeComparison(stream)) {
    rest.push({ operator, operand: parseSum(stream) });
  }
  return rest.length === 0 ? first : { type: "Comparison", first, rest };
}

function takeComparison(stream: TokenStream): string | undefined {
  if (stream.isOperator("==", "!=", "<", "<=", ">", ">=") || stream.isName("in")) return stream.take().text;
  if (!stream.isName("not") || stream.following.type !== "name" || stream.following.text !== "in") return undefined;
  stream.take();
  stream.take();
  return "not in";
}

/** Returns a parser for operators of one level. */
const binary =
  (operators: readonly string[], operand: ParseExpression): ParseExpression =>
  (stream) => {
    let left = operand(stream);
    while (stream.isOperator(...operators)) {
      left = { type: "BinaryExpression", operator: stream.take().text, left, right: operand(stream) };
    }
    return left;
  };

const parsePower = binary(["**"], parseFiltered);
const parseProduct = binary(["*", "/", "//", "%"], parsePower);
const parseConcatenation = binary(["~"], parseProduct);
const parseSum = binary(["+", "-"], parseConcatenation);

/** A signed expression with filters and tests. They apply to the sign too: `-1 | abs` is 1. */
function parseFiltered(stream: TokenStream): Expression {
  let operand = parseSigned(stream);
  for (;;) {
    if (stream.isOperator("|")) operand = { type: "FilterExpression", operand, filter: parseFilter(stream) };
    else if (stream.isName("is")) operand = parseTest(stream, operand);
    else if (stream.isOperator("("))
      operand = { type: "CallExpression", callee: operand, args: parseArguments(stream, parseExpression) };
    else return operand;
  }
}

function parseSigned(stream: TokenStream): Expression {
  if (!stream.isOperator("-", "+")) return parsePostfix(stream);
  const operator = stream.take().text === "-" ? "-" : "+";
  return { type: "UnaryExpression", operator, operand: parseSigned(stream) };
}

/** A value with attributes, items and calls. */
export function parsePostfix(stream: TokenStream): Expression {
  let value = parsePrimary(stream, parseExpression);
  for (;;) {
    if (stream.isOperator(".", "[")) value = parseSubscript(stream, value, parseExpression);
    else if (stream.isOperator("("))
      value = { type: "CallExpression", callee: value, args: parseArguments(stream, parseExpression) };
    else return value;
  }
}

/** `| name(arguments)`. */
export function parseFilter(stream: TokenStream): FilterNode {
  stream.expectOperator("|");
  return parseFilterName(stream);
}

export function parseFilterName(stream: TokenStream): FilterNode {
  const name = parseDottedName(stream);
  return { name, args: stream.isOperator("(") ? parseArguments(stream, parseExpression) : [] };
}

function parseTest(stream: TokenStream, operand: Expression): Expression {
  stream.take();
  const isNegated = stream.acceptName("not");
  const test: Expression = {
    type: "TestExpression",
    operand,
    name: parseDottedName(stream),
    args: parseTestArguments(stream),
  };
  return isNegated ? { type: "UnaryExpression", operator: "not", operand: test } : test;
}

/** Arguments in parentheses, or one value without them. */
function parseTestArguments(stream: TokenStream) {
  if (stream.isOperator("(")) return parseArguments(stream, parseExpression);
  const { type } = stream.current;
  const beginsValue = ["name", "string", "integer", "float"].includes(type) || stream.isOperator("[", "{");
  if (!beginsValue || stream.isName("else", "or", "and")) return [];
  if (stream.isName("is")) throw stream.error("tests with 'is' cannot follow each other");
  return [parsePostfix(stream)];
}

/** Names of filters and tests of extensions have dots. */
function parseDottedName(stream: TokenStream): string {
  let name = stream.expectName();
  while (stream.acceptOperator(".")) name += `.${stream.expectName()}`;
  return name;
}

/**
 * `object.name`, `object.0`, `object[key]` and `object[start:stop:step]`.
 *
 * @param parse reads a key or a bound
 */
function parseSubscript(stream: TokenStream, object: Expression, parse: ParseExpression): Expression {
  if (stream.acceptOperator(".")) return parseAttribute(stream, object);
  stream.expectOperator("[");
  if (stream.isOperator("]")) throw stream.unexpected("an item");
  const key = parseKey(stream, parse);
  if (!stream.isOperator(",")) {
    stream.expectOperator("]");
    return { type: "Item", object, key };
  }
  const items = [key];
  while (stream.acceptOperator(",")) items.push(parseKey(stream, parse));
  stream.expectOperator("]");
  const expressions = items.filter((item) => item.type !== "Slice");
  if (expressions.length < items.length) throw stream.error("slices in a tuple are not supported");
  return { type: "Item", object, key: { type: "TupleLiteral", items: expressions } };
}

function parseAttribute(stream: TokenStream, object: Expression): Expression {
  const { current } = stream;
  if (current.type !== "integer") return { type: "Attribute", object, name: stream.expectName() };
  stream.take();
  return { type: "Item", object, key: { type: "IntegerLiteral", value: current.value } };
}

function parseKey(stream: TokenStream, parse: ParseExpression): Expression | SliceNode {
  const start = stream.isOperator(":") ? undefined : parse(stream);
  if (start !== undefined && !stream.isOperator(":")) return start;
  stream.expectOperator(":");
  const stop = stream.isOperator(":") ? undefined : parseBound(stream, parse);
  const step = stream.acceptOperator(":") ? parseBound(stream, parse) : undefined;
  return { type: "Slice", start, stop, step };
}

const parseBound = (stream: TokenStream, parse: ParseExpression): Expression | undefined =>
  stream.isOperator("]", ",") ? undefined : parse(stream);
