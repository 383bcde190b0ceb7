/** Deepest nesting of JSON in a request, so that code that recurses over it cannot overflow the stack. */
export const MAX_DEPTH = 128;
/** Returns true if a JSON value nests at most {@link MAX_DEPTH} levels. Does not recurse deeper than that. */
export function isShallow(value) {
    return nestsAtMost(value, MAX_DEPTH);
}
function nestsAtMost(value, levels) {
    if (levels < 0)
        return false;
    if (typeof value !== "object" || value === null)
        return true;
    if (Array.isArray(value))
        return value.every((item) => nestsAtMost(item, levels - 1));
    // Unlike `Object.values`, this creates no array. Requests can have tens of thousands of keys.
    for (const key in value)
        if (!nestsAtMost(value[key], levels - 1))
            return false;
    return true;
}
//# sourceMappingURL=depth.js.map