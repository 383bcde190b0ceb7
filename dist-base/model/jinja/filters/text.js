import { RenderError } from "../errors.js";
import * as python from "../text/python-string.js";
import { percentFormat } from "../text/string-format.js";
import { optionalInteger, optionalText } from "../values/argument-values.js";
import { escape, textLike } from "../values/markup.js";
import { pyStr } from "../values/repr.js";
import { isText, Markup, NONE, plainText, Tuple } from "../values/value.js";
import { argument, flag } from "./filter.js";
import { urlEncode } from "./url-encode.js";
const mapped = (change) => (value) => textLike(value, change(pyStr(value)));
const trim = (value, call) => textLike(value, python.strip(pyStr(value), optionalText(argument(call, 0, "chars")), "both"));
const WORD_STARTS = /([-\s({[<]+)/u;
/** Unlike `str.title()`, words begin only after white space, hyphens and opening brackets. */
const title = (text) => text.split(WORD_STARTS).map(python.capitalize).join("");
/** Indents all lines except the first and empty ones; `first` and `blank` include these. */
const indent = (value, call) => {
    const width = argument(call, 0, "width");
    const indentation = isText(width) ? plainText(width) : " ".repeat(optionalInteger(width, 4));
    const blank = flag(call, 2, "blank");
    const first = flag(call, 1, "first");
    const lines = python.splitLines(`${pyStr(value)}\n`);
    const rest = lines.slice(1).map((line) => (line === "" && !blank ? line : indentation + line));
    return textLike(value, [(first ? indentation : "") + (lines[0] ?? ""), ...rest].join("\n"));
};
const replace = (value, call) => {
    const from = pyStr(argument(call, 0, "old") ?? NONE);
    const to = pyStr(argument(call, 1, "new") ?? NONE);
    return python.replace(pyStr(value), from, to, optionalInteger(argument(call, 2, "count"), -1));
};
const format = (value, call) => {
    if (call.keywords.size > 0)
        throw new RenderError("the format filter does not take keyword arguments here");
    return textLike(value, percentFormat(pyStr(value), new Tuple(call.args)));
};
const WORDS = /[\p{L}\p{N}_]+/gu;
const truncate = (text, call) => {
    const length = optionalInteger(argument(call, 0, "length"), 255);
    const killWords = flag(call, 1, "killwords");
    const end = optionalText(argument(call, 2, "end")) ?? "...";
    const leeway = optionalInteger(argument(call, 3, "leeway"), 5);
    const characters = python.codePoints(text);
    if (characters.length <= length + leeway)
        return text;
    const kept = characters.slice(0, length - end.length).join("");
    return (killWords || !kept.includes(" ") ? kept : kept.slice(0, kept.lastIndexOf(" "))) + end;
};
const center = (text, width) => {
    const extra = Math.max(0, width - python.codePointLength(text));
    // Python puts the odd space to the left of an odd-width field.
    const left = Math.floor(extra / 2) + (extra & width & 1);
    return " ".repeat(left) + text + " ".repeat(extra - left);
};
export const TEXT_FILTERS = [
    ["string", (value) => (isText(value) ? value : pyStr(value))],
    ["safe", (value) => new Markup(pyStr(value))],
    ["escape", (value) => new Markup(escape(value))],
    ["e", (value) => new Markup(escape(value))],
    ["forceescape", (value) => new Markup(escape(pyStr(value)))],
    ["trim", trim],
    ["upper", mapped((text) => text.toUpperCase())],
    ["lower", mapped((text) => text.toLowerCase())],
    ["title", mapped(title)],
    ["capitalize", mapped(python.capitalize)],
    ["indent", indent],
    ["replace", replace],
    ["format", format],
    ["truncate", (value, call) => truncate(pyStr(value), call)],
    ["center", (value, call) => textLike(value, center(pyStr(value), optionalInteger(argument(call, 0, "width"), 80)))],
    ["urlencode", urlEncode],
    ["wordcount", (value) => pyStr(value).match(WORDS)?.length ?? 0],
];
//# sourceMappingURL=text.js.map