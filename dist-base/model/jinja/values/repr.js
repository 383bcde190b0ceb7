import { RenderError } from "../errors.js";
import { Float, Generator, isDict, isInt, isList, Markup, PythonObject, Tuple, Undefined, } from "./value.js";
/** Python's `str(value)`: what `{{ value }}` prints. */
export function pyStr(value) {
    if (typeof value === "string")
        return value;
    if (value instanceof Markup)
        return value.text;
    if (value instanceof Undefined)
        return "";
    return pyRepr(value);
}
/** Python's `repr(value)`. */
export function pyRepr(value) {
    if (typeof value === "string")
        return textRepr(value);
    if (value instanceof Markup)
        return `Markup(${textRepr(value.text)})`;
    if (value instanceof Undefined)
        return "Undefined";
    if (typeof value === "boolean")
        return value ? "True" : "False";
    if (isInt(value))
        return value.toString();
    if (value instanceof Float)
        return floatRepr(value.value);
    if (isList(value))
        return `[${itemsRepr(value)}]`;
    if (value instanceof Tuple)
        return `(${itemsRepr(value.items)}${value.items.length === 1 ? "," : ""})`;
    if (isDict(value))
        return dictRepr(value);
    if (value instanceof PythonObject)
        return value.repr();
    if (value instanceof Generator)
        throw new RenderError("a generator cannot be printed: add `| list` after the filter");
    return "<function>";
}
const itemsRepr = (items) => items.map(pyRepr).join(", ");
export function dictRepr(entries) {
    const items = [...entries].map(([key, value]) => `${keyRepr(key)}: ${pyRepr(value)}`);
    return `{${items.join(", ")}}`;
}
const keyRepr = (key) => (typeof key === "string" ? textRepr(key) : String(key));
/** Python's `repr(float)`: exponent form from 1e16 up and below 1e-4, with at least two digits of exponent. */
export function floatRepr(x) {
    if (Number.isNaN(x))
        return "nan";
    if (!Number.isFinite(x))
        return x > 0 ? "inf" : "-inf";
    const magnitude = Math.abs(x);
    if (magnitude !== 0 && (magnitude >= 1e16 || magnitude < 1e-4)) {
        const [mantissa = "", exponent = ""] = x.toExponential().split("e");
        return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, "0")}`;
    }
    const text = Object.is(x, -0) ? "-0" : String(x);
    return text.includes(".") ? text : `${text}.0`;
}
const ESCAPES = new Map([
    ["\\", "\\\\"],
    ["\n", "\\n"],
    ["\r", "\\r"],
    ["\t", "\\t"],
]);
// Characters that str.isprintable() rejects (categories C and Z except the space), and the backslash.
const UNPRINTABLE = /[\\]|[\p{C}\p{Z}](?<! )/gu;
function textRepr(text) {
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
    const body = text.replace(UNPRINTABLE, (c) => ESCAPES.get(c) ?? hexEscape(c));
    return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}
function hexEscape(character) {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    if (code <= 0xff)
        return `\\x${hex.padStart(2, "0")}`;
    return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
//# sourceMappingURL=repr.js.map