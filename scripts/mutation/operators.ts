import { child, children, type Node, type Path } from "./syntax.js";

/** A piece of source that is replaced. */
export interface Mutation {
  /** The expression that is replaced, or the block whose statements are. */
  readonly node: Node;
  /** The source in its place. */
  readonly replacement: string;
  /** What was done, for the report: `&& to ||`. */
  readonly name: string;
}

/** Finds the mutations of the last node of a path. `text` returns the source of a node. */
type Operator = (path: Path, text: (node: Node) => string) => Mutation[];

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["&&", "||"],
  ["||", "&&"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
]);

const METHODS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
]);

const CONDITIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["IfStatement", ["true", "false"]],
  ["ConditionalExpression", ["true", "false"]],
  ["WhileStatement", ["false"]],
]);

const operators: readonly Operator[] = [
  /** Conditions that always hold, or never. A `while` is not made endless. */
  (path) => {
    const node = path.at(-1);
    const test = child(node, "test");
    const replacements = test && CONDITIONS.get(node?.type ?? "");
    if (!replacements) return [];
    return replacements.map((replacement) => ({ node: test, replacement, name: `condition to ${replacement}` }));
  },

  (path, text) => {
    const node = path.at(-1);
    const [left, right] = [child(node, "left"), child(node, "right")];
    if (!node || !left || !right || !/^(Binary|Logical)Expression$/.test(node.type)) return [];
    const operator = String(node["operator"]);
    if (operator === "??") {
      return [
        { node, replacement: text(right), name: "?? to its right side" },
        { node, replacement: text(left), name: "?? to its left side" },
      ];
    }
    const swap = operator === "+" && !isText(left) && !isText(right) ? "-" : OPERATORS.get(operator);
    // `status < 300`: no server that is talked to answers 300.
    if (swap === undefined || text(right) === "300") return [];
    return [{ node, replacement: `(${text(left)}) ${swap} (${text(right)})`, name: `${operator} to ${swap}` }];
  },

  (path, text) => {
    const node = path.at(-1);
    const argument = child(node, "argument");
    if (!node || !argument) return [];
    if (node.type === "UnaryExpression" && node["operator"] === "!") {
      return [{ node, replacement: text(argument), name: "! dropped" }];
    }
    if (node.type === "AwaitExpression") {
      // Fastify loads a plugin before the first request, whether or not its registration is awaited.
      if (text(argument).startsWith("app.register(")) return [];
      return [{ node, replacement: text(argument), name: "await dropped" }];
    }
    // `undefined` would stay, and a truth value is mutated by itself. Nobody reads `z.NEVER`: the issue beside it refuses the value.
    if (node.type === "ReturnStatement" && !/^(undefined|true|false|z\.NEVER)$/.test(text(argument))) {
      return [{ node: argument, replacement: "undefined", name: "return to undefined" }];
    }
    return [];
  },

  /** Statements that are a call, an assignment or the like. */
  (path) => {
    const [node] = path.slice(-1);
    const expression = child(node, "expression");
    if (node?.type !== "ExpressionStatement" || !expression || typeof node["directive"] === "string") return [];
    if (child(expression, "callee")?.type === "Super") return [];
    return [{ node: expression, replacement: "undefined", name: "statement dropped" }];
  },

  (path) => {
    const finalizer = path.at(-1)?.type === "TryStatement" ? child(path.at(-1), "finalizer") : undefined;
    return finalizer ? [{ node: finalizer, replacement: "", name: "finally dropped" }] : [];
  },

  (path) => {
    const node = path.at(-1);
    if (node?.type !== "Literal" || typeof node["value"] !== "boolean") return [];
    return [{ node, replacement: String(!node["value"]), name: `${node["value"]} to ${!node["value"]}` }];
  },

  (path) => {
    const node = path.at(-1);
    if (!node || !isText(node) || isEmptyText(node) || isWording(path) || isPlace(path)) return [];
    return [{ node, replacement: '""', name: "text to empty" }];
  },

  (path, text) => {
    const node = path.at(-1);
    if (node?.type !== "ArrayExpression") return [];
    const elements = children(node);
    if (elements.length === 0) return [];
    if (elements.length === 1) return [{ node, replacement: "[]", name: "array to empty" }];
    return elements.map((dropped) => {
      const kept = elements.filter((element) => element !== dropped).map(text);
      return { node, replacement: `[${kept.join(", ")}]`, name: `element dropped: ${brief(text(dropped))}` };
    });
  },

  (path, text) => {
    const node = path.at(-1);
    const callee = child(node, "callee");
    const property = child(callee, "property");
    // A part of an optional chain must not be put into parentheses.
    if (!node || !callee || !property || node.type !== "CallExpression" || path.some(isChain)) return [];
    const name = text(property);
    const swap = METHODS.get(name);
    if (swap === undefined) return [];
    const source = text(node);
    const at = property.start - node.start;
    return [
      { node, replacement: source.slice(0, at) + swap + source.slice(at + name.length), name: `${name} to ${swap}` },
    ];
  },
];

export function mutationsAt(path: Path, text: (node: Node) => string): Mutation[] {
  const found = operators.flatMap((operator) => operator(path, text));
  return isPause(path) ? found.filter(({ name }) => name === "condition to false") : found;
}

/**
 * Returns true inside the condition of a bare `yield`. Pausing more often or later only changes how long other work waits, which no test
 * sees. Never pausing is seen, because there are fewer steps.
 */
function isPause(path: Path): boolean {
  return path.some((node, depth) => {
    const test = child(node, "test");
    const inside = depth === path.length - 1 || path[depth + 1] === test;
    return node.type === "IfStatement" && inside && isBareYield(child(node, "consequent")) && !child(node, "alternate");
  });
}

function isBareYield(statement: Node | undefined): boolean {
  const expression = child(statement, "expression");
  return expression?.type === "YieldExpression" && !child(expression, "argument");
}

const brief = (source: string): string => source.replaceAll(/\s+/g, " ").slice(0, 40);

function isText(node: Node): boolean {
  return (node.type === "Literal" && typeof node["value"] === "string") || node.type === "TemplateLiteral";
}

function isEmptyText(node: Node): boolean {
  return node["value"] === "";
}

const isChain = ({ type }: Node): boolean => type === "ChainExpression";

/** Texts that only people read: messages of errors, log lines, descriptions. */
function isWording(path: Path): boolean {
  return path.some((node, depth) => {
    const callee = child(node, "callee");
    if (!callee || path[depth + 1] === callee) return false;
    if (node.type === "NewExpression") return String(callee["name"]).endsWith("Error");
    return /^(describe|debug|info|warn|error)$/.test(String(child(callee, "property")?.["name"]));
  });
}

/** Texts that name a module, a property or a tag: without them the file does not load. */
function isPlace(path: Path): boolean {
  const [parent, node] = path.slice(-2);
  if (!parent || !node) return true;
  if (/^(Import|Export)/.test(parent.type) || parent.type === "TaggedTemplateExpression") return true;
  return child(parent, "key") === node || (parent.type === "MemberExpression" && child(parent, "property") === node);
}
