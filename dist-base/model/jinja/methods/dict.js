import { valueAt } from "../values/dict-keys.js";
import { itemTuples, keyValue } from "../values/iterate.js";
import { NONE } from "../values/value.js";
import { unsafeMethod } from "./method.js";
const METHODS = new Map([
    ["get", (dict, [key, absent]) => (key === undefined ? undefined : valueAt(dict, key)) ?? absent ?? NONE],
    ["items", itemTuples],
    ["keys", (dict) => [...dict.keys()].map(keyValue)],
    ["values", (dict) => [...dict.values()]],
    ["copy", (dict) => dict],
]);
const CHANGING = new Set(["clear", "pop", "popitem", "setdefault", "update"]);
/** Returns the method of that name, bound to the dict; undefined if Python's `dict` has none. */
export function dictMethod(dict, name) {
    const method = METHODS.get(name);
    if (method !== undefined)
        return (args, keywords) => method(dict, args, keywords);
    return CHANGING.has(name) ? unsafeMethod(dict, name) : undefined;
}
//# sourceMappingURL=dict.js.map