import { RenderError } from "../errors.js";
import { percentFormat } from "../text/string-format.js";
import { arithmetic } from "./arithmetic.js";
import { compare, equal } from "./compare.js";
import { valueAt } from "./dict-keys.js";
import { sequenceItems } from "./iterate.js";
import { escape, textLike } from "./markup.js";
import { pyStr } from "./repr.js";
import { Float, Generator, isDict, isList, isText, Markup, plainText, Tuple, toNumber, typeName, Undefined, } from "./value.js";
/** The binary operators that evaluate both operands: all but `and` and `or`. */
export const BINARY_OPERATORS = new Map([
    ["==", equal],
    ["!=", (a, b) => !equal(a, b)],
    ["~", (a, b) => pyStr(a) + pyStr(b)],
    ["in", (a, b) => contains(b, a)],
    ["not in", (a, b) => !contains(b, a)],
    ["<", (a, b) => compare(a, b, "<") < 0],
    ["<=", (a, b) => compare(a, b, "<=") <= 0],
    [">", (a, b) => compare(a, b, ">") > 0],
    [">=", (a, b) => compare(a, b, ">=") >= 0],
    ["+", add],
    ["-", (a, b) => calculate("-", a, b)],
    ["*", (a, b) => calculate("*", a, b)],
    ["/", (a, b) => calculate("/", a, b)],
    ["//", (a, b) => calculate("//", a, b)],
    ["%", (a, b) => (isText(a) ? textLike(a, percentFormat(plainText(a), b)) : calculate("%", a, b))],
    ["**", (a, b) => calculate("**", a, b)],
]);
/** Python's `item in container`. */
export function contains(container, item) {
    const items = container instanceof Generator ? container.yielded : sequenceItems(container);
    if (items !== undefined)
        return items.some((other) => equal(item, other));
    if (isDict(container))
        return valueAt(container, item) !== undefined;
    if (container instanceof Undefined)
        return false;
    if (!isText(container))
        throw new RenderError(`argument of type '${typeName(container)}' is not iterable`);
    if (isText(item))
        return plainText(container).includes(plainText(item));
    throw new RenderError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
}
function add(a, b) {
    if (typeof a === "string" && typeof b === "string")
        return a + b;
    if (isText(a) && isText(b))
        return new Markup(escape(a) + escape(b));
    if (isList(a) && isList(b))
        return [...a, ...b];
    if (a instanceof Tuple && b instanceof Tuple)
        return new Tuple([...a.items, ...b.items]);
    if (isText(a) && !(b instanceof Undefined)) {
        throw new RenderError(`can only concatenate str (not "${typeName(b)}") to str`);
    }
    return calculate("+", a, b);
}
function calculate(operator, a, b) {
    if (a instanceof Undefined)
        throw a.error();
    if (b instanceof Undefined)
        throw b.error();
    const result = arithmetic(operator, a, b) ?? (operator === "*" ? (repeat(a, b) ?? repeat(b, a)) : undefined);
    if (result !== undefined)
        return result;
    throw new RenderError(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}
// Largest length of a repeated text or list. A template that exceeds it is wrong or malicious.
const MAX_REPEATED = 1 << 24;
function repeat(sequence, times) {
    const number = times instanceof Float ? undefined : toNumber(times);
    if (number === undefined)
        return undefined;
    const count = Math.max(0, Number(number));
    if (isText(sequence)) {
        const text = plainText(sequence);
        if (text.length * count > MAX_REPEATED)
            throw new RenderError("repeated text is too long");
        return textLike(sequence, text.repeat(count));
    }
    const items = sequenceItems(sequence);
    if (items === undefined)
        return undefined;
    if (items.length * count > MAX_REPEATED)
        throw new RenderError("repeated list is too long");
    const repeated = Array.from({ length: count }, () => items).flat();
    return isList(sequence) ? repeated : new Tuple(repeated);
}
/** `+x` and `-x`. */
export function signed(operator, value) {
    const result = arithmetic("*", value, operator === "-" ? -1 : 1);
    if (result !== undefined)
        return result;
    if (value instanceof Undefined)
        throw value.error();
    throw new RenderError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
}
//# sourceMappingURL=operators.js.map