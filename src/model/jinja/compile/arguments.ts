import type { ArgumentNode, Expression } from "../ast.js";
import { RenderError } from "../errors.js";
import { itemsIn } from "../values/iterate.js";
import { isDict, type Keywords, NO_KEYWORDS, typeName, type Value } from "../values/value.js";
import type { Evaluate } from "./compiled.js";
import type { Scope } from "./scope.js";

/** The compiled arguments of a call. As in Python, all positional ones are evaluated before the first keyword. */
export interface Arguments {
  readonly positional: (scope: Scope) => readonly Value[];
  readonly keywords: (scope: Scope) => Keywords;
}

/** @param compile compiles the expressions in the arguments */
export function compileArguments(nodes: readonly ArgumentNode[], compile: (node: Expression) => Evaluate): Arguments {
  return { positional: compilePositional(nodes, compile), keywords: compileKeywords(nodes, compile) };
}

function compilePositional(nodes: readonly ArgumentNode[], compile: (node: Expression) => Evaluate) {
  const single: Evaluate[] = [];
  // The parser allows one `*items`, after the other positional arguments.
  let spread: Evaluate | undefined;
  for (const node of nodes) {
    if (node.type === "Spread") spread = compile(node.value);
    else if (node.type !== "Keyword" && node.type !== "KeywordSpread") {
      single.push(compile(node));
    }
  }
  const evaluate = (scope: Scope): Value[] => single.map((argument) => argument(scope));
  if (spread === undefined) return evaluate;
  const items = spread;
  return (scope: Scope): Value[] => [...evaluate(scope), ...itemsIn(items(scope))];
}

type AddKeywords = (scope: Scope, keywords: Map<string, Value>) => void;

function compileKeywords(nodes: readonly ArgumentNode[], compile: (node: Expression) => Evaluate) {
  const steps: AddKeywords[] = [];
  for (const node of nodes) {
    if (node.type === "Keyword") steps.push(oneKeyword(node.name, compile(node.value)));
    if (node.type === "KeywordSpread") steps.push(spreadKeywords(compile(node.value)));
  }
  if (steps.length === 0) return () => NO_KEYWORDS;
  return (scope: Scope): Keywords => {
    const keywords = new Map<string, Value>();
    for (const add of steps) add(scope, keywords);
    return keywords;
  };
}

function oneKeyword(name: string, evaluate: Evaluate): AddKeywords {
  return (scope, keywords) => addKeyword(keywords, name, evaluate(scope));
}

function spreadKeywords(evaluate: Evaluate): AddKeywords {
  return (scope, keywords) => {
    const mapping = evaluate(scope);
    if (!isDict(mapping)) throw new RenderError(`argument after ** must be a mapping, not ${typeName(mapping)}`);
    for (const [key, value] of mapping) addKeyword(keywords, String(key), value);
  };
}

function addKeyword(keywords: Map<string, Value>, name: string, value: Value): void {
  if (keywords.has(name)) throw new RenderError(`got multiple values for keyword argument '${name}'`);
  keywords.set(name, value);
}
