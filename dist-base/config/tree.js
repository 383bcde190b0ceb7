export function isPlainMap(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
/** Returns an entry of the map itself, never an inherited one. */
export function readOwn(map, key) {
    return Object.hasOwn(map, key) ? map[key] : undefined;
}
/** Returns nested maps: `nest(["a", "b"], 1)` is `{ a: { b: 1 } }`. */
export function nest(path, value) {
    return path.reduceRight((inner, key) => Object.fromEntries([[key, inner]]), value);
}
/**
 * Returns `base` with the entries of `over`: maps are merged, everything else is replaced. If `base` has another value
 * where `over` has a map, that value stays, so that the schema reports it.
 */
export function merge(base, over) {
    if (!isPlainMap(over))
        return over;
    if (!isPlainMap(base))
        return base ?? over;
    const entries = new Map(Object.entries(base));
    for (const [key, value] of Object.entries(over))
        entries.set(key, merge(entries.get(key), value));
    return Object.fromEntries(entries);
}
/** Returns a copy in which `change` has replaced every value that is not a map. */
export function mapLeaves(value, change, path = "") {
    if (!isPlainMap(value))
        return change(value, path);
    const inner = Object.entries(value).map(([key, child]) => {
        return [key, mapLeaves(child, change, path === "" ? key : `${path}.${key}`)];
    });
    return Object.fromEntries(inner);
}
//# sourceMappingURL=tree.js.map