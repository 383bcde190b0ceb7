import type { AttributeNode, Expression, ItemNode, SliceNode } from "../ast.js";
import { getAttribute } from "../values/attributes.js";
import { getItem, getSlice } from "../values/subscript.js";
import type { Evaluate } from "./compiled.js";

type Compile = (node: Expression) => Evaluate;

/** Compiles `object.name`. */
export function compileAttribute({ object, name }: AttributeNode, compile: Compile): Evaluate {
  const owner = compile(object);
  return (scope) => getAttribute(owner(scope), name);
}

/** Compiles `object[key]` and `object[start:stop:step]`. */
export function compileItem({ object, key }: ItemNode, compile: Compile): Evaluate {
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
