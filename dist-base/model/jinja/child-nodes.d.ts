import type { Node } from "./ast.js";
/**
 * Returns the nodes inside a node, in the order in which Jinja2 visits them. A name is included only if it reads a variable.
 * Names of attributes, filters, tests, keywords, parameters and targets of assignments are left out.
 */
export declare function childNodes(node: Node): readonly Node[];
