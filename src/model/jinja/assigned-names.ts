import type { Node, Target } from "./ast.js";

/** Returns the names that a node assigns to, without those of the nodes inside it. A macro assigns its parameters. */
export function assignedNames(node: Node): readonly string[] {
  if (node.type === "For" || node.type === "Set") return targetNames(node.target);
  if (node.type === "With") return node.variables.flatMap(({ target }) => targetNames(target));
  return node.type === "Macro" || node.type === "CallStatement" ? node.parameters.map(({ name }) => name) : [];
}

function targetNames(target: Target): readonly string[] {
  if (target.type === "Name") return [target.name];
  return target.type === "TupleTarget" ? target.items.flatMap(targetNames) : [];
}
