import { SPACE_CLASS } from "../text/python-string.js";
import { int } from "../values/value.js";
import { unescapeLiteral } from "./string-literal.js";
import { syntaxError } from "./token.js";
const DIGITS = "(?:\\d+_)*\\d+";
// In the order in which Jinja2 tries them.
const SPACES = new RegExp(`${SPACE_CLASS}+`, "uy");
const FLOAT = new RegExp(`(?<!\\.)${DIGITS}(?:(?:\\.${DIGITS})?e[+-]?${DIGITS}|\\.${DIGITS})`, "iuy");
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iuy;
const NAME = /[\p{ID_Continue}]+/uy;
const STRING = /'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)"/suy;
const OPERATOR = /\*\*|\/\/|==|!=|>=|<=|[-+/*%~[\](){}<>=.:|,;]/uy;
const CLOSING = new Map([
    ["{", "}"],
    ["(", ")"],
    ["[", "]"],
]);
/**
 * Reads the tokens inside a tag or an expression, up to and with its end. Inside brackets, an end is read as operators.
 *
 * @param end a sticky pattern of the end
 * @returns the position after the end
 * @throws Error on a character that begins no token, on brackets that do not match, and if there is no end
 */
export function readTag(source, from, end, type, tokens) {
    const open = [];
    let at = from;
    while (at < source.length) {
        const ended = open.length === 0 ? matchAt(end, source, at) : undefined;
        if (ended !== undefined) {
            tokens.push({ type, text: ended, at });
            return at + ended.length;
        }
        const spaces = matchAt(SPACES, source, at);
        if (spaces === undefined) {
            const token = readToken(source, at);
            if (token.type === "operator")
                balance(open, source, token);
            tokens.push(token);
            at = token.end;
        }
        else
            at += spaces.length;
    }
    throw syntaxError(source, from, "a tag or an expression has no end");
}
/** Returns what a sticky pattern matches at a position. */
export function matchAt(pattern, source, at) {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
}
function readToken(source, at) {
    const float = matchAt(FLOAT, source, at);
    if (float !== undefined) {
        return { type: "float", text: float, value: Number(float.replaceAll("_", "")), at, end: at + float.length };
    }
    const integer = matchAt(INTEGER, source, at);
    if (integer !== undefined) {
        const value = int(BigInt(integer.replaceAll("_", "")));
        return { type: "integer", text: integer, value, at, end: at + integer.length };
    }
    const name = matchAt(NAME, source, at);
    if (name !== undefined) {
        if (!/^[\p{ID_Start}_]/u.test(name))
            throw syntaxError(source, at, `'${name}' is not a name`);
        return { type: "name", text: name, at, end: at + name.length };
    }
    const string = matchAt(STRING, source, at);
    if (string !== undefined)
        return readString(source, string, at);
    const operator = matchAt(OPERATOR, source, at);
    if (operator !== undefined)
        return { type: "operator", text: operator, at, end: at + operator.length };
    throw syntaxError(source, at, `unexpected character '${String.fromCodePoint(source.codePointAt(at) ?? 0)}'`);
}
function readString(source, literal, at) {
    try {
        return { type: "string", text: unescapeLiteral(literal.slice(1, -1)), at, end: at + literal.length };
    }
    catch (error) {
        throw syntaxError(source, at, error instanceof Error ? error.message : String(error));
    }
}
/** Keeps the brackets that are still to be closed, the innermost last. */
function balance(open, source, { text, at }) {
    const closing = CLOSING.get(text);
    if (closing !== undefined)
        open.push(closing);
    if (!["}", ")", "]"].includes(text))
        return;
    const expected = open.pop();
    if (expected === undefined)
        throw syntaxError(source, at, `unexpected '${text}'`);
    if (expected !== text)
        throw syntaxError(source, at, `unexpected '${text}', expected '${expected}'`);
}
//# sourceMappingURL=tag-tokens.js.map