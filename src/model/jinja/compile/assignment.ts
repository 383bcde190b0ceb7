import type { Expression } from "../ast.js";
import { RenderError } from "../errors.js";
import { itemsIn } from "../values/iterate.js";
import { Namespace } from "../values/namespace.js";
import type { Value } from "../values/value.js";
import { CONSTANTS, compileExpression } from "./expressions.js";
import type { Scope } from "./scope.js";

/** A compiled target of an assignment: assigns a value to it. */
export type Assign = (scope: Scope, value: Value) => void;

/** Compiles the target of `{% set %}`: names, or an attribute of a namespace. */
export function compileSetTarget(target: Expression): Assign {
  if (target.type !== "MemberExpression") return compileTarget(target);
  const { object, property, computed } = target;
  if (property.type !== "Identifier" || computed) throw new Error("cannot assign to an item, only to an attribute");
  const owner = compileExpression(object);
  return (scope, value) => {
    const namespace = owner(scope);
    if (!(namespace instanceof Namespace)) throw new RenderError("cannot assign attribute on non-namespace object");
    namespace.set(property.value, value);
  };
}

/** Compiles a name, or a tuple of names that unpacks a value. */
export function compileTarget(target: Expression): Assign {
  if (target.type === "Identifier") return assignName(target.value);
  if (target.type !== "TupleLiteral") throw new Error(`cannot assign to ${target.type}`);
  const targets = target.value.map(compileTarget);
  return (scope, value) => {
    const items = itemsIn(value);
    const expected = targets.length;
    if (items.length < expected) {
      throw new RenderError(`not enough values to unpack (expected ${expected}, got ${items.length})`);
    }
    if (items.length > expected) throw new RenderError(`too many values to unpack (expected ${expected})`);
    for (const [index, item] of items.entries()) targets[index]?.(scope, item);
  };
}

function assignName(name: string): Assign {
  if (CONSTANTS.has(name)) throw new Error(`cannot assign to '${name}'`);
  return (scope, value) => scope.set(name, value);
}
