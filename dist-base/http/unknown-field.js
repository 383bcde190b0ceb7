import { z } from "zod";
import { findSimilarName } from "../support/nearest-name.js";
import { ApiError } from "./errors.js";
/** Error messages show at most this many characters of an unknown field's name. */
const MAX_SHOWN_NAME = 100;
/** Returns the first issue about an unknown field at the top of a body; undefined if there is none. */
export function findTopUnknownKeys({ issues }) {
    return issues.filter((issue) => issue.code === "unrecognized_keys").find(({ path }) => path.length === 0);
}
/**
 * Returns the error for an unknown field. It suggests a similar field of the same object, if there is one.
 *
 * @param parent path of the object that has the field, as error messages show it; empty for the body itself
 */
export function unknownFieldError(schema, { keys, path }, parent) {
    const name = (keys[0] ?? "").slice(0, MAX_SHOWN_NAME);
    const withParent = (field) => (parent === "" ? field : `${parent}.${field}`);
    const knownFields = listFieldsAt(schema, path);
    const suggestion = knownFields === undefined ? "" : suggestField(knownFields, name, withParent);
    const param = withParent(name);
    return new ApiError("unknown_parameter", `Unknown parameter: \`${param}\`.${suggestion}`, { param });
}
function suggestField(knownFields, name, withParent) {
    if (knownFields.length === 0)
        return " This call takes no parameters.";
    const similar = findSimilarName(name, knownFields);
    return similar === undefined ? "" : ` Did you mean \`${withParent(similar)}\`?`;
}
/** Returns the fields of the object at `path`; undefined if the schema has no single object there, as in a union. */
function listFieldsAt(schema, path) {
    const inner = unwrap(schema);
    if (!(inner instanceof z.ZodObject))
        return undefined;
    const shape = inner.shape;
    const [key, ...rest] = path;
    if (key === undefined)
        return Object.keys(shape);
    const field = shape[key];
    return field && listFieldsAt(field, rest);
}
/** Returns the schema inside of `optional()`, `nullable()` and transformations. */
function unwrap(schema) {
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
        return unwrap(schema.unwrap());
    if (!(schema instanceof z.ZodPipe))
        return schema;
    // The object schema is the input of a pipe, except for `preprocess`, where it is the output.
    return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}
//# sourceMappingURL=unknown-field.js.map