import type { ArgumentNode, Expression, FilterNode, ForNode, Node, ParameterNode } from "./ast.js";

/**
 * Returns the nodes inside a node, in the order in which Jinja2 visits them. A name is included only if it reads a variable.
 * Names of attributes, filters, tests, keywords, parameters and targets of assignments are left out.
 */
export function childNodes(node: Node): readonly Node[] {
  switch (node.type) {
    case "Program":
      return node.body;
    case "If":
      return [node.test, ...node.body, ...node.alternate];
    case "For":
      return loopNodes(node);
    case "Set":
      return node.value === null ? node.body : [node.value, ...node.body];
    case "Macro":
      return [...defaults(node.args), ...node.body];
    case "CallStatement":
      return [node.call, ...defaults(node.callerArgs ?? []), ...node.body];
    case "FilterStatement":
      return [...node.body, ...filterArguments(node.filter)];
    case "FilterExpression":
      return [node.operand, ...filterArguments(node.filter)];
    case "ArrayLiteral":
    case "TupleLiteral":
      return node.value;
    case "ObjectLiteral":
      return [...node.value].flat();
    case "BinaryExpression":
      return [node.left, node.right];
    case "UnaryExpression":
    case "SpreadExpression":
    case "KeywordSpreadExpression":
      return [node.argument];
    case "KeywordArgumentExpression":
      return [node.value];
    case "TestExpression":
      return [node.operand];
    case "SelectExpression":
      return [node.test, node.lhs];
    case "Ternary":
      return [node.condition, node.trueExpr, node.falseExpr];
    case "MemberExpression":
      return node.computed ? [node.object, node.property] : [node.object];
    case "SliceExpression":
      return [node.start, node.stop, node.step].filter((bound) => bound !== undefined);
    case "CallExpression":
      return [node.callee, ...node.args];
    case "Identifier":
    case "StringLiteral":
    case "IntegerLiteral":
    case "FloatLiteral":
    case "Comment":
    case "Break":
    case "Continue":
      return [];
  }
}

/** Jinja2 visits the condition of a loop last. */
function loopNodes({ iterable, body, defaultBlock }: ForNode): readonly Node[] {
  const [items, condition] = iterable.type === "SelectExpression" ? [iterable.lhs, [iterable.test]] : [iterable, []];
  return [items, ...body, ...defaultBlock, ...condition];
}

function defaults(parameters: readonly ParameterNode[]): Expression[] {
  return parameters.flatMap((parameter) => (parameter.type === "Identifier" ? [] : [parameter.value]));
}

function filterArguments(filter: FilterNode): readonly ArgumentNode[] {
  return filter.type === "CallExpression" ? filter.args : [];
}
