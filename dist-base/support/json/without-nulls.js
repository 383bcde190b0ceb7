/** Returns the object without fields that are null; the object itself if it has none, so that its key order stays. */
export function withoutNulls(value) {
    const entries = Object.entries(value);
    if (!entries.some(([, field]) => field === null))
        return value;
    return Object.fromEntries(entries.filter(([, field]) => field !== null));
}
//# sourceMappingURL=without-nulls.js.map