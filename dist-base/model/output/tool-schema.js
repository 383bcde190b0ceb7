/** Returns the JSON types that a tool's schema allows for a parameter; undefined if the schema does not say. */
export function parameterTypes(tool, parameter) {
    const root = member(tool?.function, "parameters");
    return schemaTypes(member(member(root, "properties"), parameter), root);
}
/**
 * Returns the JSON types that a schema allows; undefined if it does not say.
 *
 * @param root the whole schema, to whose definitions the schema may refer
 */
export function schemaTypes(schema, root) {
    const found = resolveReference(schema, root);
    const choices = member(found, "anyOf") ?? member(found, "oneOf");
    if (member(found, "type") !== undefined || !Array.isArray(choices))
        return ownTypes(found);
    const types = choices.map((choice) => ownTypes(resolveReference(choice, root)));
    return uniteTypes(types.map((each) => each && [...each]));
}
/** Returns the types that a schema names itself. */
function ownTypes(schema) {
    const type = member(schema, "type");
    if (typeof type === "string")
        return new Set(member(schema, "nullable") === true ? [type, "null"] : [type]);
    if (Array.isArray(type))
        return new Set(type.filter((each) => typeof each === "string"));
    const values = member(schema, "enum");
    return Array.isArray(values) ? uniteTypes(values.map(jsonType)) : undefined;
}
/** Returns the union of the types; undefined if one of them is unknown, because any type is possible then. */
function uniteTypes(types) {
    const names = types.flat().filter((type) => typeof type === "string");
    return names.length < types.length || names.length === 0 ? undefined : new Set(names);
}
/** Returns the schema that an object's schema has for a member, or that a list's schema has for its `item`s. */
export function childSchema(schema, key, root) {
    const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
    const schemas = Array.isArray(choices) ? choices.map((choice) => resolveReference(choice, root)) : [schema];
    const find = (get) => schemas.map(get).find((found) => found !== undefined);
    const own = find((each) => member(member(each, "properties"), key));
    const other = own ?? (key === "item" ? find((each) => member(each, "items")) : undefined);
    return resolveReference(other ?? find((each) => member(each, "additionalProperties")), root);
}
/** Longest chain of references, because a schema may refer to itself. */
const MAX_REFERENCES = 8;
/** Returns the part of the root schema that a schema refers to, such as `#/$defs/point`; otherwise the schema itself. */
export function resolveReference(schema, root) {
    let found = schema;
    for (let steps = 0; steps < MAX_REFERENCES; steps++) {
        const reference = member(found, "$ref");
        if (typeof reference !== "string" || !reference.startsWith("#/"))
            break;
        found = reference.slice(2).split("/").reduce(member, root);
    }
    return found;
}
/** Returns the names of a tool's parameters; undefined if the schema lists none. */
export function parameterNames(tool) {
    const properties = member(member(tool?.function, "parameters"), "properties");
    return typeof properties === "object" && properties !== null ? Object.keys(properties) : undefined;
}
/** Returns true if this is a tool without parameters. */
export function hasNoParameters(tool) {
    return tool !== undefined && (parameterNames(tool) ?? []).length === 0;
}
/** Returns an own property of an object; undefined if the value is no object or lacks it. */
export function member(value, key) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key))
        return undefined;
    return value[key];
}
/** Returns the type of a value by its name in JSON schemas. */
export function jsonType(value) {
    if (value === null)
        return "null";
    return Array.isArray(value) ? "array" : typeof value;
}
//# sourceMappingURL=tool-schema.js.map