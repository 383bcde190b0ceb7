import { RenderError } from "../errors.js";
import { equal } from "../values/compare.js";
import { unsafeMethod } from "./method.js";
const SEQUENCE_METHODS = [
    ["count", (items, [item]) => items.filter((other) => item !== undefined && equal(item, other)).length],
    ["index", (items, [item]) => indexIn(items, item)],
];
const TUPLE_METHODS = new Map(SEQUENCE_METHODS);
const LIST_METHODS = new Map([
    ...SEQUENCE_METHODS,
    ["copy", (items) => items],
]);
const CHANGING = new Set(["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"]);
/** Returns the method of that name, bound to the list; undefined if Python's `list` has none. */
export function listMethod(list, name) {
    const method = LIST_METHODS.get(name);
    if (method !== undefined)
        return (args, keywords) => method(list, args, keywords);
    return CHANGING.has(name) ? unsafeMethod(list, name) : undefined;
}
/** Returns a method of a tuple, or the item of that name if its items have names. */
export function tupleAttribute(tuple, name) {
    const method = TUPLE_METHODS.get(name);
    if (method !== undefined)
        return (args, keywords) => method(tuple.items, args, keywords);
    return tuple.items[tuple.names.indexOf(name)];
}
function indexIn(items, item) {
    const index = items.findIndex((other) => item !== undefined && equal(item, other));
    if (index < 0)
        throw new RenderError("item is not in list");
    return index;
}
//# sourceMappingURL=list.js.map