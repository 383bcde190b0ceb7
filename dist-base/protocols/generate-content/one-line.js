/**
 * Characters at which clients of Gemini's API end a line: many versions of Google's SDK for JavaScript match an event with `.`, the SDK
 * for Python splits events with `str.splitlines`. JSON strings may contain the last three unescaped.
 */
const LINE_ENDS = /[\n\r\u0085\u2028\u2029]/g;
/** Writes JSON in one line, as an event must have it. Arguments of calls are inserted as the model wrote them, in any number of lines. */
export function toOneLine(json) {
    return typeof json === "string" ? replaceLineEnds(json) : json.map(replaceLineEnds);
}
const replaceLineEnds = (json) => json.replace(LINE_ENDS, replaceLineEnd);
/** Line breaks are white space: valid strings have none. The other characters occur in strings only. */
function replaceLineEnd(character) {
    if (character === "\n" || character === "\r")
        return " ";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
//# sourceMappingURL=one-line.js.map