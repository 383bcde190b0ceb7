/**
 * Returns a copy of a JSON value without repeated alternatives of unions, and with a union of one alternative replaced by it. The
 * schemas of the routes have both: a union of content parts may have one kind, and two kinds may differ only in code.
 */
export function simplifyUnions(value) {
    return simplify(value);
}
function simplify(value) {
    if (Array.isArray(value))
        return value.map(simplify);
    if (typeof value !== "object" || value === null)
        return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, simplify(each)]));
    for (const kind of ["anyOf", "oneOf"]) {
        const alternatives = copy[kind];
        if (!Array.isArray(alternatives))
            continue;
        const texts = new Set(alternatives.map((each) => JSON.stringify(each)));
        const distinct = [...texts].map((text) => JSON.parse(text));
        const { [kind]: _, ...rest } = copy;
        if (distinct.length === 1)
            return { ...distinct[0], ...rest };
        copy[kind] = distinct;
    }
    return copy;
}
//# sourceMappingURL=simplify-unions.js.map