import { codePointLength, codePoints } from "../text/python-string.js";
import { optionalInteger } from "../values/argument-values.js";
import { NONE } from "../values/value.js";
/**
 * Reads the optional arguments `start` and `end` of a method that searches a text. They count code points; negative ones count from
 * the end.
 *
 * @returns undefined if the range begins after the text or after its own end, where Python finds not even an empty text
 */
export function searchRange(text, start, end) {
    if (isAbsent(start) && isAbsent(end))
        return { text, offset: 0 };
    const length = codePointLength(text);
    const place = (value, absent) => {
        const at = isAbsent(value) ? absent : optionalInteger(value, absent);
        return at < 0 ? Math.max(0, at + length) : at;
    };
    const from = place(start, 0);
    const to = Math.min(place(end, length), length);
    if (from > to)
        return undefined;
    return { text: codePoints(text).slice(from, to).join(""), offset: from };
}
const isAbsent = (value) => value === undefined || value === NONE;
//# sourceMappingURL=search-range.js.map