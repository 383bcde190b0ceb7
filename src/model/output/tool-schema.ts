import type { Tool } from "../../conversation/message.js";

/** Returns the JSON types that a tool's schema allows for a parameter; undefined if the schema does not say. */
export function parameterTypes(tool: Tool | undefined, parameter: string): ReadonlySet<string> | undefined {
  const properties = member(member(tool?.function, "parameters"), "properties");
  return schemaTypes(member(properties, parameter));
}

/** Returns the JSON types that a schema allows; undefined if it does not say. */
export function schemaTypes(schema: unknown): ReadonlySet<string> | undefined {
  const type = member(schema, "type");
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === "string"));
  const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
  if (Array.isArray(choices)) return uniteTypes(choices.map((choice) => member(choice, "type")));
  const values = member(schema, "enum");
  return Array.isArray(values) ? uniteTypes(values.map(jsonType)) : undefined;
}

/** Returns the union of the types; undefined if one of them is unknown, because any type is possible then. */
function uniteTypes(types: readonly unknown[]): ReadonlySet<string> | undefined {
  const names = types.flat().filter((type) => typeof type === "string");
  return names.length < types.length || names.length === 0 ? undefined : new Set(names);
}

/** Returns the schema that an object's schema has for a member, or that a list's schema has for its `item`s. */
export function childSchema(schema: unknown, key: string, root: unknown): unknown {
  const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
  const schemas = Array.isArray(choices) ? choices.map((choice) => resolveReference(choice, root)) : [schema];
  const find = (get: (each: unknown) => unknown): unknown => schemas.map(get).find((found) => found !== undefined);
  const own = find((each) => member(member(each, "properties"), key));
  const other = own ?? (key === "item" ? find((each) => member(each, "items")) : undefined);
  return resolveReference(other ?? find((each) => member(each, "additionalProperties")), root);
}

/** Longest chain of references, because a schema may refer to itself. */
const MAX_REFERENCES = 8;

/** Returns the part of the root schema that a schema refers to, such as `#/$defs/point`; otherwise the schema itself. */
export function resolveReference(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let steps = 0; steps < MAX_REFERENCES; steps++) {
    const reference = member(found, "$ref");
    if (typeof reference !== "string" || !reference.startsWith("#/")) break;
    found = reference.slice(2).split("/").reduce<unknown>(member, root);
  }
  return found;
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
