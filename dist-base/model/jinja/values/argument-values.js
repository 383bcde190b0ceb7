import { RenderError } from "../errors.js";
import { isText, NONE, plainText, toNumber, typeName, Undefined } from "./value.js";
/** Reads a text argument; undefined if it is absent or None. */
export function optionalText(value) {
    return value === undefined || value === NONE ? undefined : requiredText(value);
}
export function requiredText(value) {
    if (isText(value))
        return plainText(value);
    if (value instanceof Undefined)
        throw value.error();
    throw new RenderError(`expected a string, got ${value === undefined ? "nothing" : typeName(value)}`);
}
export function optionalInteger(value, absent) {
    return Number(toNumber(value) ?? absent);
}
//# sourceMappingURL=argument-values.js.map