import type { Tool } from "../../conversation/message.js";

/** Returns the JSON types that a tool's schema allows for a parameter; undefined if the schema does not say. */
export function parameterTypes(tool: Tool | undefined, parameter: string): ReadonlySet<string> | undefined {
  const root = member(tool?.function, "parameters");
  const schema = resolve(member(member(root, "properties"), parameter), root);
  const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
  if (member(schema, "type") !== undefined || !Array.isArray(choices)) return ownTypes(schema);
  const types = choices.map((choice) => ownTypes(resolve(choice, root)));
  return uniteTypes(types.map((each) => each && [...each]));
}

/** Returns the types that a schema names itself. */
function ownTypes(schema: unknown): ReadonlySet<string> | undefined {
  const type = member(schema, "type");
  if (typeof type === "string") return new Set(member(schema, "nullable") === true ? [type, "null"] : [type]);
  if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === "string"));
  const values = member(schema, "enum");
  return Array.isArray(values) ? uniteTypes(values.map(jsonType)) : undefined;
}

/** Longest chain of references, which may be a circle. */
const MAX_REFERENCES = 8;

/** Follows references to definitions of the whole schema. */
function resolve(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const reference = member(found, "$ref");
    if (typeof reference !== "string") break;
    found = findDefinition(reference, root);
  }
  return found;
}

/** Finds the definition that a reference within the schema names, such as `#/$defs/Unit`. */
function findDefinition(reference: string, root: unknown): unknown {
  const [, list = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  return member(member(root, list), name);
}

/** Returns the union of the types; undefined if one of them is unknown, because any type is possible then. */
function uniteTypes(types: readonly unknown[]): ReadonlySet<string> | undefined {
  const names = types.flat().filter((type) => typeof type === "string");
  return names.length < types.length || names.length === 0 ? undefined : new Set(names);
}

/** Returns the names of a tool's parameters; undefined if the schema lists none. */
export function parameterNames(tool: Tool | undefined): readonly string[] | undefined {
  const properties = member(member(tool?.function, "parameters"), "properties");
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : undefined;
}

/** Returns true if this is a tool without parameters. */
export function hasNoParameters(tool: Tool | undefined): boolean {
  return tool !== undefined && (parameterNames(tool) ?? []).length === 0;
}

/** Returns an own property of an object; undefined if the value is no object or lacks it. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** Returns the type of a value by its name in JSON schemas. */
export function jsonType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
