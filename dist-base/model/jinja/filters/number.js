import { RenderError } from "../errors.js";
import { strip } from "../text/python-string.js";
import { optionalInteger, optionalText } from "../values/argument-values.js";
import { arithmetic } from "../values/arithmetic.js";
import { roundHalfEven } from "../values/rounding.js";
import { Float, int, isInt, isText, plainText, toNumber, typeName, Undefined } from "../values/value.js";
import { argument } from "./filter.js";
function requireNumber(value) {
    const number = toNumber(value);
    if (number === undefined)
        throw new RenderError(`must be a real number, not ${typeName(value)}`);
    return number;
}
const abs = (value) => {
    const negative = requireNumber(value) < 0;
    // Also for a positive value: True becomes 1.
    return arithmetic("*", value, negative ? -1 : 1) ?? value;
};
const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
function parseDecimal(text) {
    const trimmed = strip(text, undefined, "both");
    if (/^[+-]?(?:inf(?:inity)?|nan)$/i.test(trimmed)) {
        if (/nan/i.test(trimmed))
            return Number.NaN;
        return trimmed.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    }
    return DECIMAL.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : undefined;
}
/** Python's `int(value)`, which rounds towards zero. A value that is not a number becomes the default. */
const toInteger = (value, call) => {
    if (value instanceof Undefined)
        throw value.error();
    const otherwise = argument(call, 0, "default") ?? 0;
    if (isInt(value))
        return value;
    if (isText(value)) {
        const digits = strip(plainText(value), undefined, "both").replaceAll("_", "");
        const base = optionalInteger(argument(call, 1, "base"), 10);
        if (base === 10 && /^[+-]?\d+$/.test(digits))
            return int(BigInt(digits.replace("+", "")));
        if (base !== 10)
            return parseInteger(digits.toLowerCase(), base) ?? otherwise;
    }
    const number = isText(value) ? parseDecimal(plainText(value)) : toNumber(value);
    if (number === undefined || !Number.isFinite(Number(number)))
        return otherwise;
    return int(Math.trunc(Number(number)));
};
function parseInteger(text, base) {
    const prefix = base === 16 ? "0x" : base === 2 ? "0b" : "0o";
    const [, sign = "", spelled = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
    const digits = Array.from(spelled.startsWith(prefix) ? spelled.slice(prefix.length) : spelled, (digit) => /^[\da-z]$/.test(digit) ? Number.parseInt(digit, 36) : base);
    if (digits.length === 0 || digits.some((digit) => digit >= base))
        return undefined;
    const number = digits.reduce((sum, digit) => sum * BigInt(base) + BigInt(digit), 0n);
    return int(sign === "-" ? -number : number);
}
const toFloat = (value, call) => {
    if (value instanceof Undefined)
        throw value.error();
    const number = isText(value) ? parseDecimal(plainText(value)) : toNumber(value);
    return number === undefined ? (argument(call, 0, "default") ?? new Float(0)) : new Float(Number(number));
};
const round = (value, call) => {
    const number = Number(requireNumber(value));
    const digits = optionalInteger(argument(call, 0, "precision"), 0);
    const method = optionalText(argument(call, 1, "method")) ?? "common";
    if (method === "common") {
        if (isInt(value) && digits >= 0)
            return value;
        const rounded = roundHalfEven(number, digits);
        return value instanceof Float ? new Float(rounded) : rounded;
    }
    const scale = 10 ** digits;
    return new Float((method === "ceil" ? Math.ceil(number * scale) : Math.floor(number * scale)) / scale);
};
export const NUMBER_FILTERS = [
    ["abs", abs],
    ["int", toInteger],
    ["float", toFloat],
    ["round", round],
];
//# sourceMappingURL=number.js.map