import { types } from "node:util";
import { SubprocError } from "./errors.js";
/**
 * Refuses values that would not arrive unchanged in another process: functions, symbols, promises, weak collections,
 * and instances of classes, which would lose their class. Plain objects and arrays can be sent. A worker can also
 * receive Map, Set, Date, RegExp, errors, buffers, typed arrays and cycles.
 *
 * @param name name of the value in the error, such as `data`
 * @throws SubprocError `not_serializable`, naming the property: `data.tools[0].call is a function`
 */
export function assertSerializable(value, name, wire = "clone") {
    const seen = new Map();
    // A work list instead of recursion, because data may be nested deeper than the call stack allows.
    const pending = [[value, name]];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const [current, path] = next;
        assertPrimitive(current, path, wire);
        if (typeof current !== "object" || current === null)
            continue;
        const first = seen.get(current);
        if (first !== undefined && wire === "json" && isWithin(path, first))
            throw refused(path, "a part of itself");
        if (first !== undefined)
            continue;
        seen.set(current, path);
        pending.push(...listChildren(current, path, wire).reverse());
    }
}
function isWithin(path, outer) {
    return path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length));
}
function assertPrimitive(value, path, wire) {
    if (typeof value === "function" || typeof value === "symbol")
        throw refused(path, `a ${typeof value}`);
    if (wire === "clone")
        return;
    if (typeof value === "bigint")
        throw refused(path, "a bigint");
    if (typeof value === "number" && !Number.isFinite(value))
        throw refused(path, String(value));
}
function listChildren(value, path, wire) {
    if (wire === "clone")
        assertCloneable(value, path);
    if (Array.isArray(value))
        return wire === "clone" ? listProperties(value, path) : listItems(value, path);
    if (wire === "clone") {
        if (isLeaf(value))
            return [];
        if (value instanceof Set)
            return [...value].map((member, i) => [member, `${path}.values()[${i}]`]);
        if (value instanceof Map)
            return listEntries(value, path);
    }
    if (!isPlain(value))
        throw refused(path, `an instance of ${value.constructor?.name || "a class without a name"}`);
    return listProperties(value, path);
}
/** Refuses objects that look plain but cannot be cloned. */
function assertCloneable(value, path) {
    if (types.isProxy(value))
        throw refused(path, "a Proxy");
    const buffer = ArrayBuffer.isView(value) ? value.buffer : value;
    if (types.isSharedArrayBuffer(buffer))
        throw refused(path, "shared memory");
    if (types.isArrayBuffer(buffer) && isDetached(buffer))
        throw refused(path, "a detached ArrayBuffer");
}
function isDetached(buffer) {
    try {
        new Uint8Array(buffer);
        return false;
    }
    catch {
        return true;
    }
}
function listItems(list, path) {
    return list.map((item, i) => [item, `${path}[${i}]`]);
}
function listProperties(value, path) {
    return Object.keys(value).map((key) => {
        const at = Array.isArray(value) && /^\d+$/.test(key) ? `${path}[${key}]` : path + accessor(key);
        return [read(value, key, at), at];
    });
}
/** Reads a property. A getter may throw. */
function read(value, key, path) {
    try {
        return value[key];
    }
    catch (error) {
        throw refused(path, `a getter that throws (${error instanceof Error ? error.message : String(error)})`);
    }
}
function listEntries(map, path) {
    return [...map].flatMap(([key, value], i) => [
        [key, `${path}.keys()[${i}]`],
        [value, `${path}.values()[${i}]`],
    ]);
}
function isLeaf(value) {
    return (ArrayBuffer.isView(value) ||
        value instanceof ArrayBuffer ||
        value instanceof Date ||
        value instanceof RegExp ||
        value instanceof Error);
}
function isPlain(value) {
    const prototype = Object.getPrototypeOf(value);
    // An object from another realm (a vm, a test runner) has a plain prototype of its own.
    return prototype === null || Object.getPrototypeOf(prototype) === null;
}
function accessor(key) {
    return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
function refused(path, kind) {
    return new SubprocError("not_serializable", `${path} is ${kind}, which cannot be sent to another process.`);
}
//# sourceMappingURL=serializable.js.map