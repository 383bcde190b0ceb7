import { RenderError } from "../errors.js";
import { Float, Generator, isDict, isList, isText, plainText, Tuple, typeName, Undefined, } from "./value.js";
/** Returns what Python iterates over: items, keys of a dict, characters; nothing for an undefined value. */
export function itemsIn(value) {
    if (isList(value))
        return value;
    if (value instanceof Tuple)
        return value.items;
    if (value instanceof Generator)
        return value.yielded;
    if (isDict(value))
        return [...value.keys()].map(keyValue);
    if (isText(value))
        return Array.from(plainText(value));
    if (value instanceof Undefined)
        return [];
    throw new RenderError(`'${typeName(value)}' object is not iterable`);
}
/** Returns the items of a list or a tuple; undefined for other values. */
export function sequenceItems(value) {
    return isList(value) ? value : value instanceof Tuple ? value.items : undefined;
}
export const keyValue = (key) => (typeof key === "number" && !Number.isInteger(key) ? new Float(key) : key);
/** The (key, value) tuples of a dict, in the order of insertion. */
export const itemTuples = (dict) => [...dict].map(([key, value]) => new Tuple([keyValue(key), value]));
//# sourceMappingURL=iterate.js.map