import { RenderError } from "../errors.js";
import * as python from "../text/python-string.js";
import { percentFormat } from "../text/string-format.js";
import { optionalInteger, optionalText } from "../values/argument-values.js";
import { itemsIn, itemTuples, sequenceItems } from "../values/iterate.js";
import { escape, textLike } from "../values/markup.js";
import { pyStr } from "../values/repr.js";
import { Generator, isDict, isText, Markup, NONE, plainText, Tuple, type Value } from "../values/value.js";
import { argument, type Filter, type FilterCall, flag } from "./filter.js";

const mapped =
  (change: (text: string) => string): Filter =>
  (value) =>
    textLike(value, change(pyStr(value)));

const trim: Filter = (value, call) =>
  textLike(value, python.strip(pyStr(value), optionalText(argument(call, 0, "chars")), "both"));

const WORD_STARTS = /([-\s({[<]+)/u;

/** Unlike `str.title()`, words begin only after white space, hyphens and opening brackets. */
const title = (text: string): string => text.split(WORD_STARTS).map(python.capitalize).join("");

/** Indents all lines except the first and empty ones; `first` and `blank` include these. */
const indent: Filter = (value, call) => {
  const width = argument(call, 0, "width");
  const indentation = isText(width) ? plainText(width) : " ".repeat(optionalInteger(width, 4));
  const blank = flag(call, 2, "blank");
  const first = flag(call, 1, "first");
  const lines = python.splitLines(`${pyStr(value)}\n`);
  const rest = lines.slice(1).map((line) => (line === "" && !blank ? line : indentation + line));
  return textLike(value, [(first ? indentation : "") + (lines[0] ?? ""), ...rest].join("\n"));
};

const replace: Filter = (value, call) => {
  const from = pyStr(argument(call, 0, "old") ?? NONE);
  const to = pyStr(argument(call, 1, "new") ?? NONE);
  return python.replace(pyStr(value), from, to, optionalInteger(argument(call, 2, "count"), -1));
};

const format: Filter = (value, call) => {
  if (call.keywords.size > 0) throw new RenderError("the format filter does not take keyword arguments here");
  return textLike(value, percentFormat(pyStr(value), new Tuple(call.args)));
};

const WORDS = /[\p{L}\p{N}_]+/gu;

const truncate = (text: string, call: FilterCall): string => {
  const length = optionalInteger(argument(call, 0, "length"), 255);
  const killWords = flag(call, 1, "killwords");
  const end = optionalText(argument(call, 2, "end")) ?? "...";
  const leeway = optionalInteger(argument(call, 3, "leeway"), 5);
  const characters = python.codePoints(text);
  if (characters.length <= length + leeway) return text;
  const kept = characters.slice(0, length - end.length).join("");
  return (killWords || !kept.includes(" ") ? kept : kept.slice(0, kept.lastIndexOf(" "))) + end;
};

const center = (text: string, width: number): string => {
  const extra = Math.max(0, width - python.codePointLength(text));
  // Python puts the odd space to the left of an odd-width field.
  const left = Math.floor(extra / 2) + (extra & width & 1);
  return " ".repeat(left) + text + " ".repeat(extra - left);
};

/** `urlencode`: quotes a text for the path of a URL, or a dict or pairs of keys and values for its query. */
const urlEncode: Filter = (value) => {
  const pairs = isDict(value)
    ? itemTuples(value)
    : (sequenceItems(value) ?? (value instanceof Generator && value.yielded));
  return pairs ? pairs.map(encodePair).join("&") : quote(pyStr(value)).replaceAll("%2F", "/");
};

function encodePair(pair: Value): string {
  const items = itemsIn(pair);
  if (items.length !== 2) throw new RenderError("urlencode requires pairs of key and value");
  return items.map((item) => quote(pyStr(item)).replaceAll("%20", "+")).join("=");
}

/** Python's `quote(text, safe="")`. Unlike `encodeURIComponent`, it also quotes `!*'()`. */
const quote = (text: string): string =>
  encodeURIComponent(text).replace(/[!*'()]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

export const TEXT_FILTERS: readonly (readonly [string, Filter])[] = [
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
