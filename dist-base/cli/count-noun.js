/** Returns a number with its noun, for example `1 session` or `3 sessions`. */
export function countNoun(count, singular, plural = `${singular}s`) {
    return `${count} ${count === 1 ? singular : plural}`;
}
//# sourceMappingURL=count-noun.js.map