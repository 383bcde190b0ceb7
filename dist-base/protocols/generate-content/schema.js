/**
 * Google's `Schema`, a dialect of OpenAPI's: types in upper case, `nullable`, `propertyOrdering`, and 64-bit integers as text. Models
 * are trained on JSON Schema, and grammars are built from it.
 */
/** Names that Google's parser also accepts in snake_case. */
const NAMES = {
    any_of: "anyOf",
    max_items: "maxItems",
    max_length: "maxLength",
    max_properties: "maxProperties",
    min_items: "minItems",
    min_length: "minLength",
    min_properties: "minProperties",
    property_ordering: "propertyOrdering",
};
const COUNTS = new Set([
    "maxItems",
    "maxLength",
    "maxProperties",
    "minItems",
    "minLength",
    "minProperties",
]);
const ANY_TYPE = "type_unspecified";
/** Returns the same schema as JSON Schema. Its keys keep their order. It recurses: the schema must not be nested too deeply. */
export function toJsonSchema(schema) {
    const named = Object.fromEntries(Object.entries(schema).map(([key, value]) => [NAMES[key] ?? key, value]));
    const { propertyOrdering, nullable, ...fields } = named;
    const entries = Object.entries(fields).flatMap(([key, value]) => convertField(key, value, propertyOrdering));
    const converted = Object.fromEntries(entries);
    return nullable === true ? makeNullable(converted) : converted;
}
function convertField(key, value, ordering) {
    if (value === null)
        return [];
    switch (key) {
        case "type": {
            const type = lowerCase(value);
            return type === ANY_TYPE ? [] : [[key, type]];
        }
        case "format":
            // Google marks a string with an `enum` by this format.
            return value === "enum" ? [] : [[key, value]];
        case "properties":
            return [[key, isSchema(value) ? convertProperties(value, ordering) : value]];
        case "items":
        case "additionalProperties":
            return [[key, convert(value)]];
        case "anyOf":
            return [[key, Array.isArray(value) ? value.map(convert) : value]];
        default:
            return [[key, COUNTS.has(key) ? toNumber(value) : value]];
    }
}
/** Sorts the properties: first those that `propertyOrdering` names, in its order. */
function convertProperties(properties, ordering) {
    const names = Array.isArray(ordering) ? ordering.filter((name) => typeof name === "string") : [];
    const first = names.filter((name) => Object.hasOwn(properties, name));
    const ordered = new Set([...first, ...Object.keys(properties)]);
    return Object.fromEntries([...ordered].map((name) => [name, convert(properties[name])]));
}
function makeNullable(schema) {
    const { type, enum: values, anyOf } = schema;
    return {
        ...schema,
        ...(typeof type === "string" ? { type: [type, "null"] } : {}),
        ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
        ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, { type: "null" }] } : {}),
    };
}
function convert(value) {
    return isSchema(value) ? toJsonSchema(value) : value;
}
const isSchema = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
function lowerCase(value) {
    if (typeof value === "string")
        return value.toLowerCase();
    return Array.isArray(value) ? value.map(lowerCase) : value;
}
function toNumber(value) {
    return typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : value;
}
//# sourceMappingURL=schema.js.map