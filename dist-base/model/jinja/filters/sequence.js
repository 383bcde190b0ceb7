import { RenderError } from "../errors.js";
import { codePointLength, codePoints } from "../text/python-string.js";
import { optionalInteger } from "../values/argument-values.js";
import { arithmetic } from "../values/arithmetic.js";
import { itemsIn, itemTuples, sequenceItems } from "../values/iterate.js";
import { pyStr } from "../values/repr.js";
import { Generator, isDict, isText, plainText, typeName, Undefined } from "../values/value.js";
import { attributeGetter } from "./attribute-path.js";
import { argument } from "./filter.js";
/** Python's `len(value)`. */
const length = (value) => {
    if (isText(value))
        return codePointLength(plainText(value));
    if (isDict(value))
        return value.size;
    if (value instanceof Undefined)
        return 0;
    const items = sequenceItems(value);
    if (items === undefined)
        throw new RenderError(`object of type '${typeName(value)}' has no len()`);
    return items.length;
};
/** Returns a function that reads an item's attribute; without an attribute, the item itself. */
function itemGetter(attribute) {
    return attribute === undefined ? (item) => item : attributeGetter(attribute);
}
const join = (value, call) => {
    const get = itemGetter(argument(call, 1, "attribute"));
    const separator = argument(call, 0, "d") ?? "";
    return itemsIn(value)
        .map((item) => pyStr(get(item)))
        .join(pyStr(separator));
};
const reverse = (value) => isText(value) ? codePoints(plainText(value)).reverse().join("") : new Generator([...itemsIn(value)].reverse());
const sum = (value, call) => {
    const get = itemGetter(argument(call, 0, "attribute"));
    let total = argument(call, 1, "start") ?? 0;
    for (const item of itemsIn(value)) {
        const next = arithmetic("+", total, get(item));
        if (next === undefined)
            throw new RenderError("sum requires numbers");
        total = next;
    }
    return total;
};
const batch = (value, call) => {
    const size = Math.max(1, optionalInteger(argument(call, 0, "linecount"), 1));
    const fill = argument(call, 1, "fill_with");
    const items = itemsIn(value);
    const rows = [];
    for (let at = 0; at < items.length; at += size) {
        const row = items.slice(at, at + size);
        rows.push(fill === undefined ? row : [...row, ...Array.from({ length: size - row.length }, () => fill)]);
    }
    return new Generator(rows);
};
const items = (value) => {
    if (isDict(value))
        return new Generator(itemTuples(value));
    if (value instanceof Undefined)
        return new Generator([]);
    throw new RenderError("Can only get item pairs from a mapping.");
};
export const SEQUENCE_FILTERS = [
    ["length", length],
    ["count", length],
    ["list", (value) => itemsIn(value)],
    ["first", (value) => itemsIn(value)[0] ?? new Undefined(() => "No first item, sequence was empty.")],
    ["last", (value) => itemsIn(value).at(-1) ?? new Undefined(() => "No last item, sequence was empty.")],
    ["items", items],
    ["join", join],
    ["reverse", reverse],
    ["sum", sum],
    ["batch", batch],
];
//# sourceMappingURL=sequence.js.map