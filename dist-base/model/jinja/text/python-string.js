import { RenderError } from "../errors.js";
/** Operations of Python's `str` that differ from those of JavaScript's strings. Positions are code points. */
// str.isspace(): unlike JavaScript's \s, it includes U+001C to U+001F and U+0085, but not U+FEFF.
const SPACE_CHARACTERS = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
const SPACES = new Set(SPACE_CHARACTERS);
/** Source of a regular expression that matches a character for which `str.isspace()` is true. Python's `\s` is the same. */
export const SPACE_CLASS = `[${SPACE_CHARACTERS}]`;
export const isSpace = (character) => SPACES.has(character);
/** Returns the code points of a text. */
export const codePoints = (text) => Array.from(text);
/** Python's `len(text)`. */
export function codePointLength(text) {
    let length = 0;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        // Skips the second half of a surrogate pair.
        if (code >= 0xd800 && code <= 0xdbff && i + 1 < text.length)
            i++;
        length++;
    }
    return length;
}
/** `strip`, `lstrip`, `rstrip`: removes any of `characters`; if undefined, white space. */
export function strip(text, characters, sides) {
    const set = characters === undefined ? SPACES : new Set(characters);
    let start = 0;
    let end = text.length;
    if (sides !== "right") {
        for (let c = at(text, start); start < end && set.has(c); c = at(text, start))
            start += c.length;
    }
    if (sides !== "left") {
        for (let c = before(text, end); end > start && set.has(c); c = before(text, end))
            end -= c.length;
    }
    return text.slice(start, end);
}
const at = (text, index) => String.fromCodePoint(text.codePointAt(index) ?? 0);
function before(text, end) {
    const code = text.charCodeAt(end - 1);
    const isPair = code >= 0xdc00 && code <= 0xdfff && end > 1;
    return text.slice(end - (isPair ? 2 : 1), end);
}
/** `split(separator, limit)`. Without a separator, splits at runs of white space and ignores white space at the ends. */
export function split(text, separator, limit) {
    const most = limit < 0 ? Number.POSITIVE_INFINITY : limit;
    if (separator === undefined)
        return splitAtSpaces(text, most);
    const parts = [];
    let start = 0;
    for (let next = text.indexOf(separator); next >= 0 && parts.length < most; next = text.indexOf(separator, start)) {
        parts.push(text.slice(start, next));
        start = next + separator.length;
    }
    parts.push(text.slice(start));
    return parts;
}
/** `rsplit(separator, limit)`: counted from the end. */
export function rsplit(text, separator, limit) {
    if (separator === undefined)
        return rsplitAtSpaces(text, limit < 0 ? Number.POSITIVE_INFINITY : limit);
    const all = split(text, separator, -1);
    const rest = limit < 0 ? 0 : all.length - limit;
    return rest <= 1 ? all : [all.slice(0, rest).join(separator), ...all.slice(rest)];
}
function splitAtSpaces(text, most) {
    const parts = [];
    let rest = strip(text, undefined, "left");
    while (rest !== "") {
        if (parts.length === most) {
            parts.push(rest);
            break;
        }
        let end = 0;
        while (end < rest.length && !isSpace(rest.charAt(end)))
            end++;
        parts.push(rest.slice(0, end));
        rest = strip(rest.slice(end), undefined, "left");
    }
    return parts;
}
function rsplitAtSpaces(text, most) {
    const mirrored = (value) => codePoints(value).reverse().join("");
    return splitAtSpaces(mirrored(text), most).map(mirrored).reverse();
}
const LINE_ENDS = new Set("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029");
/** `splitlines()`: lines without their ends. A line end at the end of the text adds no empty line. */
export function splitLines(text) {
    const lines = [];
    let start = 0;
    for (let i = 0; i < text.length; i++) {
        if (!LINE_ENDS.has(text.charAt(i)))
            continue;
        lines.push(text.slice(start, i));
        if (text.startsWith("\r\n", i))
            i++;
        start = i + 1;
    }
    if (start < text.length)
        lines.push(text.slice(start));
    return lines;
}
/** `replace(from, to, count)`. A negative count replaces all. An empty `from` matches before every character and at the end. */
export function replace(text, from, to, count) {
    if (count === 0)
        return text;
    if (from !== "")
        return count < 0 ? text.split(from).join(to) : split(text, from, count).join(to);
    const characters = codePoints(text);
    const most = count < 0 ? characters.length + 1 : count;
    const spaced = characters.map((character, index) => (index < most ? to + character : character)).join("");
    return characters.length < most ? spaced + to : spaced;
}
/** `swapcase()`. */
export function swapCase(text) {
    return text.replace(/\p{Lu}|\p{Ll}/gu, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()));
}
const CASED_RUN = /[\p{Lu}\p{Ll}\p{Lt}]+/gu;
/** `title()`: each run of letters begins with a capital letter, and the others become small. */
export const titleCase = (text) => text.replace(CASED_RUN, capitalize);
export function capitalize(text) {
    const first = at(text, 0);
    return text === "" ? "" : first.toUpperCase() + text.slice(first.length).toLowerCase();
}
/** Python's slice of a sequence. Missing bounds are undefined. */
export function takeSlice(items, start, stop, step = 1) {
    if (step === 0)
        throw new RenderError("slice step cannot be zero");
    const length = items.length;
    const clamp = (index, low, high) => Math.min(Math.max(index < 0 ? index + length : index, low), high);
    const forward = step > 0;
    const from = start === undefined ? (forward ? 0 : length - 1) : clamp(start, forward ? 0 : -1, forward ? length : length - 1);
    const to = stop === undefined ? (forward ? length : -1) : clamp(stop, forward ? 0 : -1, forward ? length : length - 1);
    const out = [];
    for (let i = from; forward ? i < to : i > to; i += step) {
        const item = items[i];
        if (item !== undefined)
            out.push(item);
    }
    return out;
}
/** `zfill(width)`: inserts zeros after the sign. `width` counts UTF-16 units. */
export function zeroFill(text, width) {
    const sign = /^[-+]?/.exec(text)?.[0] ?? "";
    return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}
//# sourceMappingURL=python-string.js.map