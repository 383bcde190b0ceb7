import { RenderError } from "../errors.js";
import { pyRepr, pyStr } from "../values/repr.js";
import { roundHalfEven } from "../values/rounding.js";
import { Float, int, Tuple, toNumber, typeName } from "../values/value.js";
import { zeroFill } from "./python-string.js";
/**
 * Python's `format % values` for the conversions s, r, d, i, f, x and %%, with flags, width and precision.
 * `values` is one value or a tuple of them.
 */
export function percentFormat(format, values) {
    const items = values instanceof Tuple ? values.items : [values];
    let next = 0;
    const text = format.replace(/%([-0+ ]*)(\d*)(?:\.(\d+))?(.?)/gs, (whole, ...groups) => {
        const [flags = "", width = "", precision, conversion = ""] = groups;
        if (conversion === "%")
            return "%";
        const item = items[next++];
        if (item === undefined)
            throw new RenderError("not enough arguments for format string");
        const converted = convert(whole, conversion, item, precision);
        return pad("dif".includes(conversion) ? withSign(converted, flags) : converted, flags, Number(width));
    });
    if (next < items.length)
        throw new RenderError("not all arguments converted during string formatting");
    return text;
}
function convert(spec, conversion, value, precision) {
    if (conversion === "s" || conversion === "r") {
        const text = conversion === "s" ? pyStr(value) : pyRepr(value);
        return precision === undefined ? text : text.slice(0, Number(precision));
    }
    const number = toNumber(value);
    if (number === undefined)
        throw new RenderError(`%${conversion} format: a real number is required, not ${typeName(value)}`);
    if (conversion === "d" || conversion === "i")
        return wholePart(number);
    if (conversion === "x")
        return number.toString(16);
    if (conversion === "f")
        return fixed(Number(number), precision === undefined ? 6 : Number(precision));
    throw new RenderError(`unsupported format '${spec}'`);
}
const wholePart = (number) => String(typeof number === "bigint" ? number : int(Math.trunc(number)));
/** Writes a number with this many decimals. From 1e21 up, `toFixed` would write an exponent. */
function fixed(value, digits) {
    if (Math.abs(value) < 1e21 || !Number.isFinite(value))
        return roundHalfEven(value, digits).toFixed(digits);
    return digits === 0 ? String(int(value)) : `${int(value)}.${"0".repeat(digits)}`;
}
/** The flags `+` and space write something before a number that is not negative. */
function withSign(number, flags) {
    if (number.startsWith("-"))
        return number;
    return (flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + number;
}
function pad(text, flags, width) {
    if (flags.includes("-"))
        return text.padEnd(width);
    return flags.includes("0") ? zeroFill(text, width) : text.padStart(width);
}
/** Python's `format.format(…)` with `{}`, `{0}`, `{name}`, `!s`, `!r` and the specifications `d`, `s` and `.2f`. */
export function braceFormat(format, positional, keywords) {
    let next = 0;
    return format.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (whole, field) => {
        if (field === undefined)
            return whole.charAt(0);
        const parts = /^(\w*)(?:!([sr]))?(?::(.*))?$/s.exec(field);
        if (parts === null)
            throw new RenderError(`unsupported field '${whole}' in format()`);
        const [, name = "", repr, spec = ""] = parts;
        const value = /^\d*$/.test(name) ? positional[name === "" ? next++ : Number(name)] : keywords.get(name);
        if (value === undefined)
            throw new RenderError(`no argument for '${whole}' in format()`);
        return repr === "r" ? pyRepr(value) : specified(value, spec);
    });
}
function specified(value, spec) {
    const digits = /^\.(\d+)f$/.exec(spec)?.[1];
    const number = toNumber(value);
    if (digits !== undefined && number !== undefined)
        return fixed(Number(number), Number(digits));
    if (spec === "d" && number !== undefined && !(value instanceof Float))
        return String(number);
    if (spec === "" || (spec === "s" && number === undefined))
        return pyStr(value);
    throw new RenderError(`unsupported format specification '${spec}'`);
}
//# sourceMappingURL=string-format.js.map