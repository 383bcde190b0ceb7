import { SPACE_CLASS, strip } from "../text/python-string.js";
import { readTag } from "./tag-tokens.js";
import { syntaxError } from "./token.js";
// The signs of a tag: `-` removes all white space on its side, `+` keeps all of it. Without a sign, `trim_blocks` removes
// the line end after a tag, and `lstrip_blocks` removes the indentation before it.
const BEGIN = new RegExp(`\\{%([-+]?)${SPACE_CLASS}*raw${SPACE_CLASS}*(?:-%\\}${SPACE_CLASS}*|%\\})|(\\{[{%#])([-+]?)`, "gu");
const TAG_END = new RegExp(`\\+%\\}|-%\\}${SPACE_CLASS}*|%\\}\\n?`, "uy");
const EXPRESSION_END = new RegExp(`-\\}\\}${SPACE_CLASS}*|\\}\\}`, "uy");
const COMMENT_END = new RegExp(`\\+#\\}|-#\\}${SPACE_CLASS}*|#\\}\\n?`, "gu");
const RAW_END = new RegExp(`\\{%([-+]?)${SPACE_CLASS}*endraw${SPACE_CLASS}*(?:\\+%\\}|-%\\}${SPACE_CLASS}*|%\\}\\n?)`, "gu");
/**
 * Cuts a template into tokens, with the options of `transformers`: `trim_blocks` and `lstrip_blocks`. All line ends become
 * newlines, and one at the end of the template is removed.
 *
 * @returns the tokens, of which the last one is the end
 * @throws Error on invalid syntax
 */
export function tokenize(template) {
    const source = template.replace(/\r\n?/g, "\n").replace(/\n$/, "");
    const tokens = [];
    let at = 0;
    for (let next = findFrom(BEGIN, source, 0); next !== undefined; next = findFrom(BEGIN, source, at)) {
        const [begin, rawSign, delimiter = "{%", sign = ""] = next;
        const isExpression = delimiter === "{{";
        pushData(tokens, source, at, next.index, rawSign ?? sign, isExpression);
        const from = next.index + begin.length;
        if (rawSign !== undefined)
            at = readRaw(source, from, tokens);
        else if (delimiter === "{#")
            at = skipComment(source, from);
        else {
            tokens.push({ type: isExpression ? "expression_begin" : "tag_begin", text: begin, at: next.index });
            const end = isExpression ? EXPRESSION_END : TAG_END;
            at = readTag(source, from, end, isExpression ? "expression_end" : "tag_end", tokens);
        }
    }
    if (at < source.length)
        tokens.push({ type: "data", text: source.slice(at), at });
    tokens.push({ type: "end", text: "", at: source.length });
    return { source, tokens };
}
/** Reads what is between `{% raw %}` and `{% endraw %}`. */
function readRaw(source, from, tokens) {
    const end = findFrom(RAW_END, source, from);
    if (end === undefined)
        throw syntaxError(source, from, "{% raw %} has no {% endraw %}");
    pushData(tokens, source, from, end.index, end[1] ?? "", false);
    return end.index + end[0].length;
}
function skipComment(source, from) {
    const end = findFrom(COMMENT_END, source, from);
    if (end === undefined)
        throw syntaxError(source, from, "a comment has no end");
    return end.index + end[0].length;
}
/** Adds the text before a tag, with the white space that the sign of the tag keeps. */
function pushData(tokens, source, from, to, sign, isExpression) {
    const text = source.slice(from, to);
    const isLineStart = from === 0 || source[from - 1] === "\n";
    const kept = sign === "-"
        ? strip(text, undefined, "right")
        : isExpression || sign === "+"
            ? text
            : unindented(text, isLineStart);
    if (kept !== "")
        tokens.push({ type: "data", text: kept, at: from });
}
/** Returns a text without the white space after its last newline, if there is nothing else after it. */
function unindented(text, isLineStart) {
    const line = text.lastIndexOf("\n") + 1;
    if (line === 0 && !isLineStart)
        return text;
    return strip(text.slice(line), undefined, "right") === "" ? text.slice(0, line) : text;
}
function findFrom(pattern, source, from) {
    pattern.lastIndex = from;
    return pattern.exec(source) ?? undefined;
}
//# sourceMappingURL=tokenize.js.map