/** Returns the alternatives of a schema (`anyOf`, or a list of types), each with one type. */
export function listAlternatives(schema) {
    if (schema.anyOf)
        return schema.anyOf.flatMap(listAlternatives);
    if (Array.isArray(schema.type))
        return schema.type.map((type) => ({ ...schema, type }));
    return [schema];
}
/** Returns the schema of a list's entries. */
export function readItemSchema({ items }) {
    return typeof items === "object" && !Array.isArray(items) ? items : {};
}
/** Describes the allowed values as a phrase that follows "expected", such as "an integer from 0 to 65535". */
export function describeExpected(schema) {
    const alternatives = listAlternatives(schema);
    if (schema.anyOf && typeof schema.expected === "string") {
        return alternatives.some(({ type }) => type === "null") ? `${schema.expected}, or null` : schema.expected;
    }
    return alternatives.map(describeAlternative).join(" or ");
}
function describeAlternative(schema) {
    if (schema.type === "null")
        return "null";
    if (typeof schema.expected === "string")
        return schema.expected;
    if (schema.enum)
        return describeChoice(schema.enum.map(String));
    if (schema.type === "array")
        return `a list of values, each ${describeExpected(readItemSchema(schema))}`;
    if (schema.type === "integer")
        return `an integer${describeRange(schema)}`;
    if (schema.type === "number")
        return `a number${describeRange(schema)}`;
    if (schema.type === "boolean")
        return "true or false";
    return describeText(schema);
}
function describeText({ minLength = 0, maxLength }) {
    if (maxLength === undefined)
        return minLength > 0 ? "text that is not empty" : "text";
    return minLength > 0 ? `text of ${minLength} to ${maxLength} characters` : `text of at most ${maxLength} characters`;
}
function describeChoice(values) {
    return values.length > 1 ? `one of ${values.join(", ")}` : values.join();
}
function describeRange({ minimum, maximum, exclusiveMinimum }) {
    // The schema of an integer has the bounds of exact doubles, which do not help a reader.
    const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
    const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
    const over = exclusiveMinimum === undefined ? undefined : ` above ${exclusiveMinimum}`;
    if (over !== undefined)
        return most === undefined ? over : `${over}, at most ${most}`;
    if (least !== undefined)
        return most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`;
    return most === undefined ? "" : ` of at most ${most}`;
}
//# sourceMappingURL=expected-text.js.map