import { RenderError } from "../errors.js";
import { compareText } from "../values/compare.js";
import { sequenceItems } from "../values/iterate.js";
import { floatRepr } from "../values/repr.js";
import { Float, isDict, isInt, isText, NONE, plainText, typeName } from "../values/value.js";
/**
 * Python's `json.dumps(value)`. `transformers` gives templates this instead of Jinja2's own `tojson`, with
 * `ensure_ascii=False` and without escaping for HTML.
 */
export function dumps(value, options, depth = 0) {
    if (isText(value))
        return quote(plainText(value), options);
    if (value === NONE)
        return "null";
    if (typeof value === "boolean")
        return value ? "true" : "false";
    if (isInt(value))
        return value.toString();
    if (value instanceof Float)
        return number(value.value);
    if (isDict(value))
        return wrap("{", members(value, options, depth), "}", options, depth);
    const items = sequenceItems(value)?.map((item) => dumps(item, options, depth + 1));
    if (items !== undefined)
        return wrap("[", items, "]", options, depth);
    throw new RenderError(`Object of type ${typeName(value)} is not JSON serializable`);
}
function members(entries, options, depth) {
    const ordered = [...entries];
    if (options.sortKeys)
        ordered.sort(([a], [b]) => compareText(String(a), String(b)));
    return ordered.map(([key, item]) => quote(String(key), options) + options.separators[1] + dumps(item, options, depth + 1));
}
function wrap(open, items, close, options, depth) {
    if (items.length === 0)
        return open + close;
    if (options.indent === undefined)
        return open + items.join(options.separators[0]) + close;
    const line = `\n${options.indent.repeat(depth)}`;
    return `${open}${line}${options.indent}${items.join(`${options.separators[0]}${line}${options.indent}`)}${line}${close}`;
}
function number(value) {
    if (Number.isFinite(value))
        return floatRepr(value);
    return Number.isNaN(value) ? "NaN" : `${value > 0 ? "" : "-"}Infinity`;
}
// JSON.stringify escapes the same characters as Python. It also escapes lone surrogates, but no text here contains them.
function quote(text, options) {
    const json = JSON.stringify(text);
    if (!options.ensureAscii)
        return json;
    return json.replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
//# sourceMappingURL=to-json.js.map