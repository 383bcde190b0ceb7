import { JsonError } from "../../support/json/parse-json.js";
import { SpelledNumber } from "../../support/json/spelled.js";
import { Float, int, NONE, RenderError } from "../jinja/index.js";
import { numberValue } from "./from-json.js";
const MAX_DEPTH = 256;
/**
 * Converts a JavaScript value, for example from JSON.parse or `parseSpelled`, to a template value. Only an object's own
 * keys count; keys with the value undefined are left out.
 */
export function fromJs(value, depth = 0) {
    if (depth > MAX_DEPTH)
        throw new RenderError(`a value nests deeper than ${MAX_DEPTH} levels`);
    if (value === null)
        return NONE;
    if (typeof value === "string")
        return value.toWellFormed();
    if (typeof value === "boolean")
        return value;
    if (typeof value === "bigint")
        return int(value);
    if (typeof value === "number")
        return fromNumber(value);
    if (value instanceof SpelledNumber)
        return fromSpelled(value);
    if (typeof value === "object")
        return fromObject(value, depth);
    throw new RenderError(`a value of type ${typeof value} cannot be passed to a template`);
}
// JSON.parse reads 1.0 as 1, so a whole number counts as an integer if JSON would write it with digits only.
function fromNumber(value) {
    const isSpelledWhole = Number.isInteger(value) && Math.abs(value) < 1e21 && !Object.is(value, -0);
    return isSpelledWhole ? int(BigInt(value)) : new Float(value);
}
function fromSpelled({ text }) {
    try {
        return numberValue(text);
    }
    catch (error) {
        if (error instanceof JsonError)
            throw new RenderError(error.message, { cause: error });
        throw error;
    }
}
function fromObject(value, depth) {
    if (Array.isArray(value))
        return value.map((item) => fromJs(item, depth + 1));
    const entries = new Map();
    for (const [key, item] of Object.entries(value)) {
        if (item !== undefined)
            entries.set(key.toWellFormed(), fromJs(item, depth + 1));
    }
    return entries;
}
//# sourceMappingURL=from-js.js.map