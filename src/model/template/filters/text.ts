import { percentFormat } from "../format.js";
import { escape, textLike } from "../markup.js";
import * as python from "../python-string.js";
import { pyStr } from "../python-text.js";
import { optionalInteger, optionalText } from "../string-methods.js";
import { int, isText, Markup, none, RenderError, str, truthy, tuple } from "../values.js";
import { argument, type Filter, type FilterCall } from "./filter.js";

const mapped =
  (change: (text: string) => string): Filter =>
  (value) =>
    textLike(value, change(pyStr(value)));

const trim: Filter = (value, call) =>
  textLike(value, python.strip(pyStr(value), optionalText(argument(call, 0, "chars")), "both"));

const WORD_STARTS = /([-\s({[<]+)/u;

/** Unlike `str.title()`, words begin only after white space, hyphens and opening brackets. */
const title = (text: string): string => text.split(WORD_STARTS).map(python.capitalize).join("");

/** Lines after the first are indented; `first` and `blank` ask for the first line and for empty ones. */
const indent: Filter = (value, call) => {
  const width = argument(call, 0, "width");
  const indentation = width !== undefined && isText(width) ? width.value : " ".repeat(optionalInteger(width, 4));
  const blank = truthy(argument(call, 2, "blank") ?? none());
  const first = truthy(argument(call, 1, "first") ?? none());
  const lines = python.splitLines(`${pyStr(value)}\n`);
  const rest = lines.slice(1).map((line) => (line === "" && !blank ? line : indentation + line));
  return textLike(value, [(first ? indentation : "") + (lines[0] ?? ""), ...rest].join("\n"));
};

const replace: Filter = (value, call) => {
  const from = pyStr(argument(call, 0, "old") ?? none());
  const to = pyStr(argument(call, 1, "new") ?? none());
  return str(python.replace(pyStr(value), from, to, optionalInteger(argument(call, 2, "count"), -1)));
};

const format: Filter = (value, call) => {
  if (call.keywords.size > 0) throw new RenderError("the format filter does not take keyword arguments here");
  return textLike(value, percentFormat(pyStr(value), tuple(call.args)));
};

const WORDS = /[\p{L}\p{N}_]+/gu;

const truncate = (text: string, call: FilterCall): string => {
  const length = optionalInteger(argument(call, 0, "length"), 255);
  const killWords = truthy(argument(call, 1, "killwords") ?? none());
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

export const TEXT_FILTERS: readonly (readonly [string, Filter])[] = [
  ["string", (value) => (isText(value) ? value : str(pyStr(value)))],
  ["safe", (value) => new Markup(pyStr(value))],
  ["escape", (value) => new Markup(escape(value))],
  ["e", (value) => new Markup(escape(value))],
  ["forceescape", (value) => new Markup(escape(str(pyStr(value))))],
  ["trim", trim],
  ["upper", mapped((text) => text.toUpperCase())],
  ["lower", mapped((text) => text.toLowerCase())],
  ["title", mapped(title)],
  ["capitalize", mapped(python.capitalize)],
  ["indent", indent],
  ["replace", replace],
  ["format", format],
  ["truncate", (value, call) => str(truncate(pyStr(value), call))],
  ["center", (value, call) => textLike(value, center(pyStr(value), optionalInteger(argument(call, 0, "width"), 80)))],
  ["wordcount", (value) => int(pyStr(value).match(WORDS)?.length ?? 0)],
];
