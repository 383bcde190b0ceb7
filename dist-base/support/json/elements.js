/**
 * Finds an array and its elements in the bytes of a JSON text without parsing it. Both functions assume that the text
 * is JSON. For any other text they terminate, but the result is meaningless.
 */
/** The greatest of the control characters and white space. A text may have megabytes of white space, so loops skip it first. */
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/**
 * Finds the first field of the text's object that has one of these names.
 *
 * @returns the offset after the opening bracket of its array; undefined if there is no such field or it has no array
 */
export function findArrayStart(json, names) {
    const colon = findColon(json, 0, 0, (name) => names.has(name));
    if (colon === undefined)
        return undefined;
    const value = skipSpace(json, colon + 1);
    return json[value] === OPEN_BRACKET ? value + 1 : undefined;
}
/**
 * Finds the string value of a field of the object that the text contains.
 *
 * @returns the offset of its opening quote and the offset after its closing quote. Undefined if the value is no string, or if a name in the
 * object has an escape, because it may then be the same name
 */
export function findString(json, name) {
    const mayBeName = (spelled) => spelled.includes("\\") || spelled === name;
    const colon = findColon(json, 0, 0, mayBeName);
    if (colon === undefined || colon !== findColon(json, 0, 0, (spelled) => spelled === name))
        return undefined;
    const start = skipSpace(json, colon + 1);
    if (json[start] !== QUOTE)
        return undefined;
    const end = findStringEnd(json, start);
    return findColon(json, end, 1, mayBeName) === undefined ? { start, end } : undefined;
}
/**
 * Returns the offsets after those elements of an array that are objects or arrays. Other elements are skipped.
 *
 * @param from offset after the array's opening bracket, or after one of its elements
 */
export function findElementEnds(json, from) {
    const ends = [];
    let depth = 0;
    for (let at = from; at < json.length; at++) {
        const byte = json[at] ?? 0;
        if (byte <= SPACE)
            continue;
        if (byte === QUOTE)
            at = findStringEnd(json, at) - 1;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET)
            depth++;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
            if (depth === 0)
                break;
            depth--;
            if (depth === 0)
                ends.push(at + 1);
        }
    }
    return ends;
}
/**
 * Returns true if the rest of the text's object has a field with this name, or one whose name is spelled with an escape.
 *
 * @param from offset after an element of an array that is a field of the object
 */
export function mayHaveField(json, name, from) {
    return findColon(json, from, 2, (found) => found.includes("\\") || found === name) !== undefined;
}
/**
 * Finds a field of the text's object.
 *
 * @param from where the search begins
 * @param openBrackets number of brackets and braces that are open at `from`
 * @param isName decides from a field's name as it is spelled, escapes included
 * @returns the offset of the colon after the name; undefined if no name matches
 */
function findColon(json, from, openBrackets, isName) {
    let depth = openBrackets;
    for (let at = from; at < json.length; at++) {
        const byte = json[at] ?? 0;
        if (byte <= SPACE)
            continue;
        if (byte === OPEN_BRACE || byte === OPEN_BRACKET)
            depth++;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
            depth--;
            if (depth === 0)
                return undefined;
        }
        else if (byte === QUOTE) {
            const end = findStringEnd(json, at);
            const next = skipSpace(json, end);
            if (depth === 1 && json[next] === COLON && isName(json.toString("latin1", at + 1, end - 1)))
                return next;
            at = end - 1;
        }
    }
    return undefined;
}
/** Number of bytes after an escape that are read one by one: more escapes are likely, and each `indexOf` has a fixed cost. */
const READ_AFTER_ESCAPE = 64;
/** Returns the offset after the string that begins at a quote. */
function findStringEnd(json, quote) {
    let at = quote + 1;
    for (;;) {
        const end = json.indexOf(QUOTE, at);
        if (end < 0)
            return json.length;
        let before = end - 1;
        while (before >= at && json[before] === BACKSLASH)
            before--;
        if ((end - before) % 2 === 1)
            return end + 1;
        at = end + 1;
        for (let readTo = at + READ_AFTER_ESCAPE; at < readTo; at++) {
            const byte = json[at];
            if (byte === QUOTE)
                return at + 1;
            if (byte === BACKSLASH)
                readTo = ++at + READ_AFTER_ESCAPE;
            else if (byte === undefined)
                return json.length;
        }
    }
}
function skipSpace(json, from) {
    let at = from;
    while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09)
        at++;
    return at;
}
//# sourceMappingURL=elements.js.map