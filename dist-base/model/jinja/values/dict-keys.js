import { RenderError } from "../errors.js";
import { int, isDict, isList, isText, plainText, toNumber, typeName, } from "./value.js";
/** Returns a value as the key of a dict. 1, 1.0 and True are the same key in Python. */
export function toKey(value) {
    if (isText(value))
        return plainText(value);
    const number = toNumber(value);
    if (number !== undefined)
        return Number.isInteger(Number(number)) ? int(number) : Number(number);
    throw new RenderError(`unhashable or unsupported key of type '${typeName(value)}'`);
}
export const isHashable = (value) => !isList(value) && !isDict(value);
/** Returns the value of a key; undefined if the dict lacks it. Keys that no dict here can have, such as None, are missing. */
export function valueAt(dict, key) {
    if (!isHashable(key))
        throw new RenderError(`unhashable type: '${typeName(key)}'`);
    return isText(key) || toNumber(key) !== undefined ? dict.get(toKey(key)) : undefined;
}
//# sourceMappingURL=dict-keys.js.map