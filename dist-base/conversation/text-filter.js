/** Returns the filters as objects. An expression without the flag `g` gets it, because every match must be removed. */
export function toTextFilters(filters) {
    return filters.map((filter) => (filter instanceof RegExp ? fromRegExp(filter) : filter));
}
function fromRegExp(filter) {
    const global = filter.global ? filter : new RegExp(filter, `${filter.flags}g`);
    return { removeMatches: (text) => text.replace(global, "") };
}
//# sourceMappingURL=text-filter.js.map