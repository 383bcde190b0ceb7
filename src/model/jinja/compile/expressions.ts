import type {
  AttributeNode,
  CallExpression,
  ComparisonNode,
  Expression,
  FilterNode,
  ItemNode,
  SliceNode,
  TestNode,
} from "../ast.js";
import { CONSTANTS } from "../constants.js";
import { RenderError } from "../errors.js";
import { findFilter } from "../filters/index.js";
import { applyTest } from "../is-tests.js";
import { getAttribute } from "../values/attributes.js";
import { toKey } from "../values/dict-keys.js";
import { BINARY_OPERATORS, type BinaryOperator, signed } from "../values/operators.js";
import { getItem, getSlice } from "../values/subscript.js";
import { Float, type Key, Tuple, truthy, typeName, Undefined, type Value } from "../values/value.js";
import { compileArguments } from "./arguments.js";
import type { Evaluate } from "./compiled.js";
import type { Scope } from "./scope.js";

/** Compiles an expression once, so renderings do not walk its nodes again. */
export function compileExpression(node: Expression): Evaluate {
  switch (node.type) {
    case "Name":
      return compileName(node.name);
    case "StringLiteral":
    case "IntegerLiteral":
      return constant(node.value);
    case "FloatLiteral":
      return constant(new Float(node.value));
    case "ListLiteral":
      return compileList(node.items);
    case "TupleLiteral": {
      const items = compileList(node.items);
      return (scope) => new Tuple(items(scope));
    }
    case "DictLiteral":
      return compileDict(node.entries);
    case "BinaryExpression":
      return compileBinary(node.operator, compileExpression(node.left), compileExpression(node.right));
    case "Comparison":
      return compileComparison(node);
    case "UnaryExpression":
      return compileUnary(node.operator, compileExpression(node.operand));
    case "FilterExpression": {
      const operand = compileExpression(node.operand);
      const filter = compileFilter(node.filter);
      return (scope) => filter(operand(scope), scope);
    }
    case "TestExpression":
      return compileTest(node);
    case "Condition":
      return compileCondition(
        compileExpression(node.condition),
        compileExpression(node.whenTrue),
        node.whenFalse === undefined ? noElse : compileExpression(node.whenFalse),
      );
    case "Attribute":
      return compileAttribute(node, compileExpression);
    case "Item":
      return compileItem(node, compileExpression);
    case "CallExpression":
      return compileCall(node);
  }
}

const constant = (value: Value) => (): Value => value;

function compileName(name: string): Evaluate {
  const value = CONSTANTS.get(name);
  if (value !== undefined) return constant(value);
  return (scope) => scope.get(name) ?? new Undefined(() => `'${name}' is undefined`);
}

function compileList(nodes: readonly Expression[]): (scope: Scope) => readonly Value[] {
  const items = nodes.map(compileExpression);
  return (scope) => items.map((item) => item(scope));
}

function compileDict(nodes: readonly (readonly [Expression, Expression])[]): Evaluate {
  const entries = nodes.map(([key, value]) => [compileExpression(key), compileExpression(value)] as const);
  return (scope) => new Map<Key, Value>(entries.map(([key, value]) => [toKey(key(scope)), value(scope)]));
}

/** Compiles `left operator right`. */
function compileBinary(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  if (operator === "and") return and(left, right);
  if (operator === "or") return or(left, right);
  const operate = findOperator(operator);
  return (scope) => operate(left(scope), right(scope));
}

function findOperator(spelling: string): BinaryOperator {
  const operate = BINARY_OPERATORS.get(spelling);
  if (operate === undefined) throw new Error(`unknown operator '${spelling}'`);
  return operate;
}

/** Compiles `a < b < c`: stops at the first comparison that is false, and evaluates each operand at most once. */
function compileComparison({ first, rest }: ComparisonNode): Evaluate {
  const [second, ...more] = rest.map(({ operator, operand }) => ({
    compare: findOperator(operator),
    operand: compileExpression(operand),
  }));
  const start = compileExpression(first);
  if (second === undefined) return start;
  if (more.length === 0) return (scope) => second.compare(start(scope), second.operand(scope));
  return (scope) => {
    let left = start(scope);
    return [second, ...more].every(({ compare, operand }) => {
      const right = operand(scope);
      const holds = truthy(compare(left, right));
      left = right;
      return holds;
    });
  };
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

function compileTest({ operand, name, args }: TestNode): Evaluate {
  const value = compileExpression(operand);
  const { positional } = compileArguments(args, compileExpression);
  return (scope) => applyTest(name, value(scope), positional(scope));
}

function compileCondition(condition: Evaluate, then: Evaluate, otherwise: Evaluate): Evaluate {
  return (scope) => (truthy(condition(scope)) ? then(scope) : otherwise(scope));
}

const noElse: Evaluate = () =>
  new Undefined(() => "the inline if-expression evaluated to false and no else section was defined.");

/** Compiles `| filter(…)`, for expressions and for blocks. */
export function compileFilter({ name, args }: FilterNode): (operand: Value, scope: Scope) => Value {
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

type Compile = (node: Expression) => Evaluate;

/** Compiles `object.name`. */
function compileAttribute({ object, name }: AttributeNode, compile: Compile): Evaluate {
  const owner = compile(object);
  return (scope) => getAttribute(owner(scope), name);
}

/** Compiles `object[key]` and `object[start:stop:step]`. */
function compileItem({ object, key }: ItemNode, compile: Compile): Evaluate {
  const owner = compile(object);
  if (key.type === "Slice") return compileSlice(owner, key, compile);
  const name = compile(key);
  return (scope) => getItem(owner(scope), name(scope));
}

function compileSlice(object: Evaluate, node: SliceNode, compile: Compile): Evaluate {
  const start = node.start && compile(node.start);
  const stop = node.stop && compile(node.stop);
  const step = node.step && compile(node.step);
  return (scope) => getSlice(object(scope), { start: start?.(scope), stop: stop?.(scope), step: step?.(scope) });
}
