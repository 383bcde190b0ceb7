import { parseAst } from "vitest/node";

/** A node of the ESTree that the test runner's parser returns. Offsets count UTF-16 units, as `slice` does. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The way from the file down to a node, the node last. */
export type Path = readonly Node[];

export function parse(source: string, file: string): Node {
  const program: unknown = parseAst(source, { lang: "ts" }, file);
  if (!isNode(program)) throw new TypeError(`${file} has no syntax tree`);
  return program;
}

/** Calls `visit` for each node, outer nodes first. Nothing below a node is visited if it returns false. */
export function walk(node: Node, visit: (path: Path) => boolean, above: Path = []): void {
  const path = [...above, node];
  if (!visit(path)) return;
  for (const child of children(node)) walk(child, visit, path);
}

export function children(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** Returns the node in a field, if there is one. */
export function child(node: Node | undefined, field: string): Node | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value;
}
