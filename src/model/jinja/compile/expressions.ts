import type { CallExpression, Expression, FilterNode } from "../ast.js";
import { RenderError } from "../errors.js";
import { findFilter } from "../filters/index.js";
import { findTest } from "../is-tests.js";
import { toKey } from "../values/dict-keys.js";
import { BINARY_OPERATORS, signed } from "../values/operators.js";
import { Float, type Key, NONE, Tuple, truthy, typeName, Undefined, type Value } from "../values/value.js";
import { compileArguments } from "./arguments.js";
import type { Evaluate } from "./compiled.js";
import { compileMember } from "./members.js";
import type { Scope } from "./scope.js";

/** Compiles an expression once, so renderings do not walk its nodes again. */
export function compileExpression(node: Expression): Evaluate {
  switch (node.type) {
    case "Identifier":
      return compileName(node.value);
    case "StringLiteral":
    case "IntegerLiteral":
      return constant(node.value);
    case "FloatLiteral":
      return constant(new Float(node.value));
    case "ArrayLiteral":
      return compileList(node.value);
    case "TupleLiteral": {
      const items = compileList(node.value);
      return (scope) => new Tuple(items(scope));
    }
    case "ObjectLiteral":
      return compileDict(node.value);
    case "BinaryExpression":
      return compileBinary(node.operator.value, compileExpression(node.left), compileExpression(node.right));
    case "UnaryExpression":
      return compileUnary(node.operator.value, compileExpression(node.argument));
    case "FilterExpression": {
      const operand = compileExpression(node.operand);
      const filter = compileFilter(node.filter);
      return (scope) => filter(operand(scope), scope);
    }
    case "TestExpression":
      return compileTest(compileExpression(node.operand), node.test.value, node.negate);
    case "SelectExpression":
      return compileCondition(compileExpression(node.test), compileExpression(node.lhs), noElse);
    case "Ternary":
      return compileCondition(
        compileExpression(node.condition),
        compileExpression(node.trueExpr),
        compileExpression(node.falseExpr),
      );
    case "MemberExpression":
      return compileMember(node, compileExpression);
    case "CallExpression":
      return compileCall(node);
  }
}

const constant = (value: Value) => (): Value => value;

/** Names that Jinja2 reads as constants. A variable of that name is never read. */
export const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", NONE],
  ["None", NONE],
]);

function compileName(name: string): Evaluate {
  const value = CONSTANTS.get(name);
  if (value !== undefined) return constant(value);
  return (scope) => scope.get(name) ?? new Undefined(() => `'${name}' is undefined`);
}

function compileList(nodes: readonly Expression[]): (scope: Scope) => readonly Value[] {
  const items = nodes.map(compileExpression);
  return (scope) => items.map((item) => item(scope));
}

function compileDict(nodes: ReadonlyMap<Expression, Expression>): Evaluate {
  const entries = [...nodes].map(([key, value]) => [compileExpression(key), compileExpression(value)] as const);
  return (scope) => new Map<Key, Value>(entries.map(([key, value]) => [toKey(key(scope)), value(scope)]));
}

/** Compiles `left operator right`. */
function compileBinary(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  if (operator === "and") return and(left, right);
  if (operator === "or") return or(left, right);
  const operate = BINARY_OPERATORS.get(operator);
  if (operate === undefined) throw new Error(`unknown operator '${operator}'`);
  return (scope) => operate(left(scope), right(scope));
}

/** Returns the operand that decides, which need not be a boolean. */
function and(left: Evaluate, right: Evaluate): Evaluate {
  return (scope) => {
    const value = left(scope);
    return truthy(value) ? right(scope) : value;
  };
}

function or(left: Evaluate, right: Evaluate): Evaluate {
  return (scope) => {
    const value = left(scope);
    return truthy(value) ? value : right(scope);
  };
}

/** Compiles `not x`, `-x` and `+x`. */
function compileUnary(operator: string, operand: Evaluate): Evaluate {
  if (operator === "not") return (scope) => !truthy(operand(scope));
  return (scope) => signed(operator, operand(scope));
}

function compileTest(operand: Evaluate, name: string, negate: boolean): Evaluate {
  return (scope) => findTest(name)(operand(scope), NONE) !== negate;
}

function compileCondition(condition: Evaluate, then: Evaluate, otherwise: Evaluate): Evaluate {
  return (scope) => (truthy(condition(scope)) ? then(scope) : otherwise(scope));
}

const noElse: Evaluate = () =>
  new Undefined(() => "the inline if-expression evaluated to false and no else section was defined.");

/** Compiles `| filter(…)`, for expressions and for `{% filter %}`. */
export function compileFilter(node: FilterNode): (operand: Value, scope: Scope) => Value {
  const [callee, args] = node.type === "CallExpression" ? [node.callee, node.args] : [node, []];
  if (callee.type !== "Identifier") throw new Error(`a filter is a name, not ${callee.type}`);
  const name = callee.value;
  // The filter is looked up when the expression runs: like in Python, an unknown name is no error before that.
  const { positional, keywords } = compileArguments(args, compileExpression);
  return (operand, scope) =>
    findFilter(name)(operand, { args: positional(scope), keywords: keywords(scope), findFilter });
}

function compileCall(node: CallExpression): Evaluate {
  const callee = compileExpression(node.callee);
  const { positional, keywords } = compileArguments(node.args, compileExpression);
  return (scope) => call(callee(scope), positional(scope), keywords(scope));
}

export function call(callee: Value, args: readonly Value[], keywords: ReadonlyMap<string, Value>): Value {
  if (typeof callee === "function") return callee(args, keywords);
  if (callee instanceof Undefined) throw callee.error();
  throw new RenderError(`'${typeName(callee)}' object is not callable`);
}
