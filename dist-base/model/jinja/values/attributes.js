import { dictMethod } from "../methods/dict.js";
import { listMethod, tupleAttribute } from "../methods/list.js";
import { textMethod } from "../methods/str.js";
import { pyRepr } from "./repr.js";
import { isDict, isList, isText, NONE, PythonObject, Tuple, typeName, Undefined } from "./value.js";
/** `object.name`: methods come before the keys of a dict, as in Python. */
export function getAttribute(object, name) {
    if (object instanceof Undefined)
        throw object.error();
    const entry = findAttribute(object, name) ?? (isDict(object) ? object.get(name) : undefined);
    return entry ?? noAttribute(object, name);
}
/** Finds an attribute in Python's sense, which does not include the keys of a dict. */
export function findAttribute(object, name) {
    if (isText(object))
        return textMethod(object, name);
    if (isDict(object))
        return dictMethod(object, name);
    if (isList(object))
        return listMethod(object, name);
    if (object instanceof Tuple)
        return tupleAttribute(object, name);
    return object instanceof PythonObject ? object.attribute(name) : undefined;
}
export const noAttribute = (object, name) => new Undefined(() => `'${ownerName(object)}' has no attribute '${name}'`);
export const noElement = (object, key) => new Undefined(() => `${ownerName(object)} has no element ${pyRepr(key)}`);
const ownerName = (object) => (object === NONE ? "None" : `${typeName(object)} object`);
//# sourceMappingURL=attributes.js.map