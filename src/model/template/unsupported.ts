import type { Node } from "./jinja.js";
import { hasStringMethod } from "./string-methods.js";

// What Jinja2 and Python's `str` have and this interpreter has not. A name that nobody knows is an error when it is
// reached, in Python too: templates guard such names by conditions.
const FILTERS: ReadonlySet<string> = new Set(
  "filesizeformat pprint random slice striptags urlencode urlize wordwrap xmlattr".split(" "),
);
const TESTS: ReadonlySet<string> = new Set(["filter", "test"]);
const FUNCTIONS: ReadonlySet<string> = new Set(["cycler", "joiner", "lipsum"]);
const METHODS: ReadonlySet<string> = new Set(
  "encode expandtabs format_map isascii isdecimal isidentifier isprintable istitle maketrans rindex translate zfill"
    .split(" ")
    .filter((name) => !hasStringMethod(name)),
);

/**
 * Finds what a template uses that Python's Jinja2 has and this interpreter has not, however rarely it is reached: the
 * template would render for a while and then fail.
 *
 * @returns what it is, in words; undefined where everything is known
 */
export function findUnsupported(root: Node): string | undefined {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const at = stack.pop();
    if (typeof at !== "object" || at === null) continue;
    const problem = isNode(at) ? problemOf(at) : undefined;
    if (problem !== undefined) return problem;
    const inner: Iterable<unknown> = at instanceof Map ? [...at.keys(), ...at.values()] : Object.values(at);
    stack.push(...inner);
  }
  return undefined;
}

const isNode = (value: object): value is Node => "type" in value && typeof value.type === "string";

function problemOf(node: Node): string | undefined {
  if (node.type === "FilterExpression" || node.type === "FilterStatement") return filterProblem(field(node, "filter"));
  if (node.type === "TestExpression") return testProblem(nameIn(field(node, "test")));
  if (node.type !== "CallExpression") return undefined;
  const callee = field(node, "callee");
  const name = nameIn(callee);
  if (name !== undefined && FUNCTIONS.has(name)) return `the function '${name}'`;
  const method = field(callee, "computed") === true ? undefined : nameIn(field(callee, "property"));
  return method !== undefined && METHODS.has(method) ? `the method '${method}' of strings` : undefined;
}

/** Filters may take the name of a filter or a test as an argument. */
function filterProblem(filter: unknown): string | undefined {
  const name = nameIn(filter) ?? nameIn(field(filter, "callee")) ?? "";
  if (FILTERS.has(name)) return `the filter '${name}'`;
  const args = field(filter, "args");
  const [first, second] = (Array.isArray(args) ? args : []).map(literal);
  if (name === "map" && first !== undefined && FILTERS.has(first)) return `the filter '${first}'`;
  const isByAttribute = name === "selectattr" || name === "rejectattr";
  return isByAttribute ? testProblem(second) : name === "select" || name === "reject" ? testProblem(first) : undefined;
}

const testProblem = (name: string | undefined): string | undefined =>
  name !== undefined && TESTS.has(name) ? `the test '${name}'` : undefined;

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

const nameIn = (node: unknown): string | undefined => valueOf(node, "Identifier");
const literal = (node: unknown): string | undefined => valueOf(node, "StringLiteral");

function valueOf(node: unknown, type: string): string | undefined {
  const value = field(node, "value");
  return field(node, "type") === type && typeof value === "string" ? value : undefined;
}
