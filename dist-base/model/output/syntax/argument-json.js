import { isJson } from "../reader/json-scanner.js";
import { parsePythonLiteral } from "../reader/python-literal.js";
import { jsonType } from "../tool-schema.js";
/**
 * Converts a parameter that the model wrote as plain text to JSON, typed by the tool's JSON schema: a string if the schema
 * requires one; otherwise the JSON value or Python literal, if its type fits; otherwise a string. JSON keeps its spelling.
 */
export function toArgumentJson(raw, types, rules) {
    if (rules.nullForStrings && raw.trim() === "null")
        return "null";
    if (types === undefined && rules.untyped === "text")
        return JSON.stringify(raw);
    if (types?.size === 1 && types.has("string"))
        return JSON.stringify(raw);
    const json = parseValue(raw.trim(), types);
    if (json === undefined)
        return JSON.stringify(raw);
    if (types === undefined)
        return json;
    // JSON strings do not count: a text in quotes is a string that includes the quotes.
    const fits = jsonTypes(json).some((type) => type !== "string" && types.has(type));
    return fits || !types.has("string") ? json : JSON.stringify(raw);
}
/** Returns the JSON of the value that a text spells; undefined if it spells none. */
function parseValue(text, types) {
    if (types?.has("boolean") && /^(?:true|false)$/i.test(text))
        return text.toLowerCase();
    return isJson(text) ? text : parsePythonLiteral(text);
}
/** A whole number is an integer too. */
function jsonTypes(json) {
    const type = jsonType(JSON.parse(json));
    return type === "number" && Number.isInteger(Number(json)) ? ["number", "integer"] : [type];
}
//# sourceMappingURL=argument-json.js.map