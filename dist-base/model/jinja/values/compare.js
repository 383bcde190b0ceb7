import { RenderError } from "../errors.js";
import { isDict, isList, isText, plainText, Tuple, toNumber, typeName, Undefined } from "./value.js";
/** Python's `a == b`. */
export function equal(a, b) {
    if (isText(a))
        return isText(b) && plainText(a) === plainText(b);
    const number = toNumber(a);
    if (number !== undefined) {
        const other = toNumber(b);
        // `===` would be false for a number and a bigint of the same value.
        return other !== undefined && number <= other && number >= other;
    }
    if (isList(a))
        return isList(b) && equalItems(a, b);
    if (a instanceof Tuple)
        return b instanceof Tuple && equalItems(a.items, b.items);
    if (isDict(a))
        return isDict(b) && a.size === b.size && [...a].every(([key, item]) => equalEntry(item, b.get(key)));
    if (a instanceof Undefined)
        return b instanceof Undefined;
    return a === b;
}
const equalEntry = (item, other) => other !== undefined && equal(item, other);
function equalItems(a, b) {
    return a.length === b.length && a.every((item, index) => equalEntry(item, b[index]));
}
/**
 * Compares in Python's order; negative if a comes before b. Only numbers, texts and sequences of them are ordered.
 *
 * @param operator for the error's message
 */
export function compare(a, b, operator = "<") {
    const number = toNumber(a);
    const other = toNumber(b);
    if (number !== undefined && other !== undefined)
        return number < other ? -1 : number > other ? 1 : 0;
    if (isText(a) && isText(b))
        return compareText(plainText(a), plainText(b));
    if (isList(a) && isList(b))
        return compareItems(a, b, operator);
    if (a instanceof Tuple && b instanceof Tuple)
        return compareItems(a.items, b.items, operator);
    if (a instanceof Undefined)
        throw a.error();
    if (b instanceof Undefined)
        throw b.error();
    throw new RenderError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}
function compareItems(a, b, operator) {
    for (const [index, item] of a.entries()) {
        const other = b[index];
        if (other === undefined)
            return 1;
        if (!equal(item, other))
            return compare(item, other, operator);
    }
    return a.length - b.length;
}
/** Compares by code points. JavaScript compares code units, which puts astral characters before U+E000. */
export function compareText(a, b) {
    const length = Math.min(a.length, b.length);
    for (let i = 0; i < length; i++) {
        if (a[i] !== b[i])
            return (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0);
    }
    return a.length - b.length;
}
//# sourceMappingURL=compare.js.map