import { childSchema, member, schemaTypes } from "../tool-schema.js";
import { toArgumentJson } from "./argument-json.js";
import { readUpTo } from "./call-header.js";
/** The name of the elements of a list. */
const ITEM = "item";
/** Deepest nesting of arguments, so that the recursion over them cannot overflow the stack. */
const MAX_DEPTH = 128;
const RULES = { untyped: "json", nullForStrings: false };
/** Reads elements up to a closing tag of something else, and returns the JSON text of each member. Undefined: malformed. */
export function* readArgumentElements(reader, syntax, schema) {
    const elements = yield* readElements(reader, syntax, { schema, root: schema }, 0);
    return elements && [...elements].map(([key, values]) => [key, joinValues(values)]);
}
function* readElements(reader, syntax, { schema, root }, depth) {
    const elements = new Map();
    for (;;) {
        yield* reader.skipSpace();
        if ((yield* reader.at(syntax.close)) || !(yield* reader.accept(syntax.open)))
            return elements;
        const name = yield* readUpTo(reader, [">", syntax.open, syntax.close]);
        if (name?.marker !== ">")
            return undefined;
        reader.skip(">");
        const typed = { schema: childSchema(schema, name.text, root), root };
        const json = yield* readValue(reader, syntax, typed, depth);
        if (json === undefined || !(yield* reader.accept(`${syntax.close}${name.text}>`)))
            return undefined;
        const values = elements.get(name.text);
        if (values)
            values.push(json);
        else
            elements.set(name.text, [json]);
    }
}
/** Reads a value up to its closing tag and returns its JSON text. */
function* readValue(reader, syntax, typed, depth) {
    const text = yield* readUpTo(reader, [syntax.close, syntax.open]);
    if (text === undefined || depth === MAX_DEPTH)
        return undefined;
    if (text.marker === syntax.close)
        return textJson(text.text, schemaTypes(typed.schema, typed.root));
    if (text.text.trim() !== "")
        return undefined;
    const elements = yield* readElements(reader, syntax, typed, depth + 1);
    return elements && elementsJson(elements, typed.schema);
}
/** Spells a value without elements. An empty one is null, a list or an object if the schema says so. */
function textJson(text, types) {
    if (text.trim() === "" && types !== undefined && !types.has("string")) {
        if (types.has("null"))
            return "null";
        if (types.has("array"))
            return "[]";
        if (types.has("object"))
            return "{}";
    }
    return toArgumentJson(text, types, RULES);
}
/** Elements that are all called `item` are a list, unless the schema has a member of that name. */
function elementsJson(elements, schema) {
    const items = elements.get(ITEM);
    const isList = items !== undefined && elements.size === 1 && member(member(schema, "properties"), ITEM) === undefined;
    if (isList)
        return `[${items.join(", ")}]`;
    const members = [...elements].map(([key, values]) => `${JSON.stringify(key)}: ${joinValues(values)}`);
    return `{${members.join(", ")}}`;
}
/** A repeated element is a list. */
const joinValues = (values) => values.length === 1 ? (values[0] ?? "") : `[${values.join(", ")}]`;
//# sourceMappingURL=element-arguments.js.map