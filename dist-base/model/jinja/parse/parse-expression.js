import { parseArguments } from "./parse-arguments.js";
import { parsePrimary } from "./parse-primary.js";
import { parseSubscript } from "./parse-subscript.js";
/**
 * Expressions, from the operators that bind least to those that bind most: `if`, `or`, `and`, `not`, comparisons, `+ -`, `~`,
 * `* / // %`, `**`, signs, then filters and tests, attributes, items and calls. All operators with two operands associate
 * to the left, `**` too.
 */
export function parseExpression(stream) {
    let left = parseOr(stream);
    while (stream.acceptName("if"))
        left = parseCondition(stream, left);
    return left;
}
function parseCondition(stream, whenTrue) {
    const condition = parseOr(stream);
    const whenFalse = stream.acceptName("else") ? parseExpression(stream) : undefined;
    return { type: "Condition", condition, whenTrue, whenFalse };
}
/** An expression without `if`, as in `{% for x in items if … %}`. */
export const parseOr = (stream) => parseLogic(stream, "or", parseAnd);
const parseAnd = (stream) => parseLogic(stream, "and", parseNot);
function parseLogic(stream, operator, operand) {
    let left = operand(stream);
    while (stream.acceptName(operator))
        left = { type: "BinaryExpression", operator, left, right: operand(stream) };
    return left;
}
function parseNot(stream) {
    if (!stream.acceptName("not"))
        return parseComparison(stream);
    return { type: "UnaryExpression", operator: "not", operand: parseNot(stream) };
}
function parseComparison(stream) {
    const first = parseSum(stream);
    const rest = [];
    for (let operator = takeComparison(stream); operator !== undefined; operator = takeComparison(stream)) {
        rest.push({ operator, operand: parseSum(stream) });
    }
    return rest.length === 0 ? first : { type: "Comparison", first, rest };
}
function takeComparison(stream) {
    if (stream.isOperator("==", "!=", "<", "<=", ">", ">=") || stream.isName("in"))
        return stream.take().text;
    if (!stream.isName("not") || stream.following.type !== "name" || stream.following.text !== "in")
        return undefined;
    stream.take();
    stream.take();
    return "not in";
}
/** Returns a parser for operators of one level. */
const binary = (operators, operand) => (stream) => {
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
function parseFiltered(stream) {
    let operand = parseSigned(stream);
    for (;;) {
        if (stream.isOperator("|"))
            operand = { type: "FilterExpression", operand, filter: parseFilter(stream) };
        else if (stream.isName("is"))
            operand = parseTest(stream, operand);
        else if (stream.isOperator("("))
            operand = { type: "CallExpression", callee: operand, args: parseArguments(stream, parseExpression) };
        else
            return operand;
    }
}
function parseSigned(stream) {
    if (!stream.isOperator("-", "+"))
        return parsePostfix(stream);
    const operator = stream.take().text === "-" ? "-" : "+";
    return { type: "UnaryExpression", operator, operand: parseSigned(stream) };
}
/** A value with attributes, items and calls. */
export function parsePostfix(stream) {
    let value = parsePrimary(stream, parseExpression);
    for (;;) {
        if (stream.isOperator(".", "["))
            value = parseSubscript(stream, value, parseExpression);
        else if (stream.isOperator("("))
            value = { type: "CallExpression", callee: value, args: parseArguments(stream, parseExpression) };
        else
            return value;
    }
}
/** `| name(arguments)`. */
export function parseFilter(stream) {
    stream.expectOperator("|");
    return parseFilterName(stream);
}
export function parseFilterName(stream) {
    const name = parseDottedName(stream);
    return { name, args: stream.isOperator("(") ? parseArguments(stream, parseExpression) : [] };
}
function parseTest(stream, operand) {
    stream.take();
    const isNegated = stream.acceptName("not");
    const test = {
        type: "TestExpression",
        operand,
        name: parseDottedName(stream),
        args: parseTestArguments(stream),
    };
    return isNegated ? { type: "UnaryExpression", operator: "not", operand: test } : test;
}
/** Arguments in parentheses, or one value without them. */
function parseTestArguments(stream) {
    if (stream.isOperator("("))
        return parseArguments(stream, parseExpression);
    const { type } = stream.current;
    const beginsValue = ["name", "string", "integer", "float"].includes(type) || stream.isOperator("[", "{");
    if (!beginsValue || stream.isName("else", "or", "and"))
        return [];
    if (stream.isName("is"))
        throw stream.error("tests with 'is' cannot follow each other");
    return [parsePostfix(stream)];
}
/** Names of filters and tests of extensions have dots. */
function parseDottedName(stream) {
    let name = stream.expectName();
    while (stream.acceptOperator("."))
        name += `.${stream.expectName()}`;
    return name;
}
//# sourceMappingURL=parse-expression.js.map