import type { Expression, MemberNode, SliceNode } from "../ast.js";
import { getAttribute } from "../values/attributes.js";
import { getItem, getSlice } from "../values/subscript.js";
import type { Evaluate } from "./compiled.js";

/**
 * Compiles `object.name`, `object[key]` and `object[start:stop:step]`.
 *
 * @param compile compiles the expressions in them
 */
export function compileMember(node: MemberNode, compile: (node: Expression) => Evaluate): Evaluate {
  const object = compile(node.object);
  const { property, computed } = node;
  if (property.type === "SliceExpression") return compileSlice(object, property, compile);
  if (property.type === "Identifier" && !computed) {
    const name = property.value;
    return (scope) => getAttribute(object(scope), name);
  }
  // `list.0` is an item, because the parser returns an integer for `0`.
  const key = compile(property);
  return (scope) => getItem(object(scope), key(scope));
}

function compileSlice(object: Evaluate, node: SliceNode, compile: (node: Expression) => Evaluate): Evaluate {
  const start = node.start && compile(node.start);
  const stop = node.stop && compile(node.stop);
  const step = node.step && compile(node.step);
  return (scope) => getSlice(object(scope), { start: start?.(scope), stop: stop?.(scope), step: step?.(scope) });
}
