import { member, parameterTypes } from "../tool-schema.js";
import { ANY_TEXT, constant, json, oneOf } from "./format.js";
/** Lists a tool's parameters in the order of its schema; undefined if the schema lists none. */
export function listParameters(tool) {
    const schema = member(tool.function, "parameters");
    const properties = member(schema, "properties");
    if (typeof properties !== "object" || properties === null)
        return undefined;
    const required = member(schema, "required");
    const shared = pickDefinitions(schema);
    return Object.entries(properties).map(([key, property]) => {
        const types = parameterTypes(tool, key);
        const own = withDefinitions(property, shared);
        const value = json(own);
        return {
            key,
            types,
            schema: own,
            isRequired: Array.isArray(required) && required.includes(key),
            text: types === undefined || types.has("string") ? describeText(property) : undefined,
            json: types?.size === 1 && types.has("string") ? undefined : value,
            value,
        };
    });
}
/** Describes any text, or one of the texts that the schema lists. */
export function describeText(property) {
    const values = member(property, "enum");
    const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string" && value !== "") : [];
    return texts.length > 0 ? oneOf(texts.map(constant)) : ANY_TEXT;
}
const DEFINITIONS = ["$defs", "definitions"];
/** Picks the definitions that references in a property point to. */
function pickDefinitions(schema) {
    const known = DEFINITIONS.map((key) => [key, member(schema, key)]);
    return Object.fromEntries(known.filter(([, definitions]) => definitions !== undefined));
}
function withDefinitions(property, shared) {
    return typeof property === "object" && property !== null ? { ...property, ...shared } : property;
}
//# sourceMappingURL=parameters.js.map