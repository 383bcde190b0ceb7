import { z } from "zod";
import { withoutNulls } from "../../support/json/without-nulls.js";
/** Schemas of messages as Google's APIs read them from JSON: names in camelCase or snake_case, `null` for absent fields. */
/** Returns the schema of an object that refuses unknown fields. The fields are named in camelCase and can come in snake_case. */
export function protoObject(fields) {
    const names = new Map(Object.keys(fields).map((name) => [toSnakeCase(name), name]));
    return z.preprocess((value) => normalize(value, names), z.strictObject(fields));
}
/** Returns the schema of an enumeration. Google's own values are in upper case; some clients send them in lower case. */
export function protoEnum(values) {
    return z.preprocess((value) => (typeof value === "string" ? value.toUpperCase() : value), z.enum(values));
}
/** Returns a schema that also accepts a single element instead of a list of one, as Google's parser does. */
export function protoList(list) {
    return z.preprocess((value) => (isObject(value) ? [value] : value), list);
}
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @param names the fields by their names in snake_case */
function normalize(value, names) {
    if (!isObject(value))
        return value;
    const set = withoutNulls(value);
    // A field that comes in both spellings keeps this one, which is then refused as unknown.
    const rename = (key) => {
        const name = names.get(key) ?? key;
        return Object.hasOwn(set, name) ? key : name;
    };
    const entries = Object.entries(set);
    if (entries.every(([key]) => rename(key) === key))
        return set;
    return Object.fromEntries(entries.map(([key, field]) => [rename(key), field]));
}
function toSnakeCase(name) {
    return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
//# sourceMappingURL=proto-json.js.map