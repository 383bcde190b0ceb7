/** Returns true if a pattern matches a whole text: see {@link compilePattern}. */
export function matchesPattern(text, pattern) {
    return compilePattern(pattern)(text);
}
/**
 * Returns the test of a pattern for many texts. `*` stands for any characters, every other character for itself.
 *
 * A pattern with one `*` takes linear time. Each part between two stars is searched for once, while a regular expression with several
 * `.*` tries combinations.
 */
export function compilePattern(pattern) {
    const [start = "", ...others] = pattern.split("*");
    const end = others.pop();
    if (end === undefined)
        return (text) => text === pattern;
    return (text) => {
        let at = start.length;
        const last = text.length - end.length;
        if (at > last || !text.startsWith(start) || !text.endsWith(end))
            return false;
        // The earliest match of a part leaves the most text for the parts after it.
        for (const part of others) {
            const found = text.indexOf(part, at);
            if (found < 0)
                return false;
            at = found + part.length;
        }
        return at <= last;
    };
}
//# sourceMappingURL=match-pattern.js.map