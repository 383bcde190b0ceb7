import { z } from "zod";
import { describeExpected, listAlternatives, readItemSchema } from "../support/schema/expected-text.js";
/** Matches the messages that zod creates. Messages that a schema defines itself begin differently. */
const ZOD_MESSAGE = /^((Invalid input|Invalid option|Too big|Too small): expected|Invalid discriminator value\.)/;
/** Maximum number of characters of a received text that a message shows. */
const SHOWN_LENGTH = 60;
const LEAVES = new Set(["null", "boolean", "integer", "number", "string"]);
/** The names of types in messages, by their names in zod. */
const TYPES = {
    array: "a list",
    boolean: "true or false",
    int: "an integer",
    number: "a number",
    object: "an object",
    record: "an object",
    string: "text",
};
/**
 * Describes a wrong value with a phrase for use after the name of its field: the allowed values and the received value. A message
 * that the schema defines itself is returned unchanged.
 *
 * @param schema the schema of the whole body or query
 * @param received the value that the issue is about
 */
export function describeIssue(issue, schema, received) {
    if (!ZOD_MESSAGE.test(issue.message))
        return issue.message;
    if ((issue.code === "too_small" || issue.code === "too_big") && issue.origin === "array") {
        return issue.code === "too_small" ? `must hold at least ${issue.minimum}` : `must hold at most ${issue.maximum}`;
    }
    const allowed = describeAllowed(issue, schema);
    return allowed === undefined ? issue.message : `must be ${allowed}; received ${show(received)}`;
}
/**
 * Describes the allowed values. For objects and unions of objects, this is only the expected type. For a field inside of a union, it
 * is what the issue itself says: the type, the bound that was exceeded, or the values of the field that selects the branch.
 */
function describeAllowed(issue, schema) {
    const field = findField(toJson(schema), issue.path);
    if (field && isDescribable(field))
        return describeExpected(field);
    if (issue.code === "invalid_type")
        return TYPES[issue.expected];
    if (issue.code === "invalid_union")
        return describeSelector(issue);
    return describeBound(issue);
}
/** Describes the values of the field that selects a branch of a discriminated union. */
function describeSelector(issue) {
    const options = "options" in issue ? issue.options : undefined;
    return Array.isArray(options) ? `one of ${options.join(", ")}` : undefined;
}
/** Describes the bound of a number. Bounds of other values count characters or fields, and have messages of their own. */
function describeBound(issue) {
    if (issue.code !== "too_small" && issue.code !== "too_big")
        return undefined;
    if (issue.origin !== "number" && issue.origin !== "int")
        return undefined;
    if (issue.code === "too_small")
        return `${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}`;
    return `${issue.inclusive === false ? "below" : "at most"} ${issue.maximum}`;
}
/** A cache: there are few schemas, and converting one takes longer than checking a value. */
const converted = new WeakMap();
function toJson(schema) {
    const json = converted.get(schema) ?? z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    converted.set(schema, json);
    return json;
}
/** Returns the schema of the field at `path`; undefined if it is in a union, whose branches have different fields. */
function findField(schema, [key, ...rest]) {
    if (key === undefined)
        return schema;
    if (typeof key === "number")
        return findField(readItemSchema(schema), rest);
    const field = schema.properties?.[String(key)];
    return typeof field === "object" ? findField(field, rest) : undefined;
}
/** Returns true if every alternative is a plain value or a list of plain values. */
function isDescribable(schema) {
    return listAlternatives(schema).every((each) => {
        if (each.type === "array")
            return isDescribable(readItemSchema(each));
        return LEAVES.has(each.type) && each.const === undefined && each.pattern === undefined;
    });
}
function show(value) {
    if (Array.isArray(value))
        return "a list";
    if (typeof value === "object" && value !== null)
        return "an object";
    if (typeof value !== "string")
        return String(value);
    return JSON.stringify(value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value);
}
//# sourceMappingURL=describe-issue.js.map