import { getAttribute } from "../values/attributes.js";
import { getItem, getSlice } from "../values/subscript.js";
/** Compiles `object.name`. */
export function compileAttribute({ object, name }, compile) {
    const owner = compile(object);
    return (scope) => getAttribute(owner(scope), name);
}
/** Compiles `object[key]` and `object[start:stop:step]`. */
export function compileItem({ object, key }, compile) {
    const owner = compile(object);
    if (key.type === "Slice")
        return compileSlice(owner, key, compile);
    const name = compile(key);
    return (scope) => getItem(owner(scope), name(scope));
}
function compileSlice(object, node, compile) {
    const start = node.start && compile(node.start);
    const stop = node.stop && compile(node.stop);
    const step = node.step && compile(node.step);
    return (scope) => getSlice(object(scope), { start: start?.(scope), stop: stop?.(scope), step: step?.(scope) });
}
//# sourceMappingURL=members.js.map