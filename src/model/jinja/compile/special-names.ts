import { assignedNames } from "../assigned-names.js";
import type { Node, Statement } from "../ast.js";
import { childNodes } from "../child-nodes.js";

/** Names that are set for a macro in addition to its parameters, if its body reads them. */
export type SpecialName = "caller" | "kwargs" | "varargs";
const SPECIAL_NAMES: readonly SpecialName[] = ["caller", "kwargs", "varargs"];

/**
 * Returns the special names that a body reads before it assigns them. Like in Jinja2, the order in the text counts, not
 * the order in which the body runs.
 */
export function specialNames(body: readonly Statement[]): ReadonlySet<SpecialName> {
  const assigned = new Set<string>();
  const read = new Set<SpecialName>();
  const visit = (node: Node): void => {
    for (const name of assignedNames(node)) assigned.add(name);
    const name = SPECIAL_NAMES.find((special) => node.type === "Name" && special === node.name);
    if (name !== undefined && !assigned.has(name)) read.add(name);
    for (const child of childNodes(node)) visit(child);
  };
  for (const node of body) visit(node);
  return read;
}
