import { RenderError } from "../errors.js";
import * as python from "../text/python-string.js";
import { codePointLength, codePoints } from "../text/python-string.js";
import { braceFormat } from "../text/string-format.js";
import { optionalInteger, optionalText, requiredText } from "../values/argument-values.js";
import { itemsIn, sequenceItems } from "../values/iterate.js";
import { escape } from "../values/markup.js";
import { type Callable, isList, isText, Markup, NONE, type Text, Tuple, type Value } from "../values/value.js";
import type { Method } from "./method.js";

/** Returns the method of that name, bound to the text; undefined if Python's `str` has none or it is not supported here. */
export function textMethod(self: Text, name: string): Callable | undefined {
  const method = METHODS.get(name);
  if (method === undefined) return undefined;
  if (typeof self === "string") return (args, keywords) => method(self, args, keywords);
  return markupMethod(self, name, method);
}

export const hasTextMethod = (name: string): boolean => METHODS.has(name);

type TextMethod = Method<string>;

const stripped =
  (sides: python.Sides): TextMethod =>
  (self, [characters]) =>
    python.strip(self, optionalText(characters), sides);

const divided =
  (divide: typeof python.split): TextMethod =>
  (self, [separator, limit], keywords) => {
    const at = optionalText(separator ?? keywords.get("sep"));
    if (at === "") throw new RenderError("empty separator");
    return divide(self, at, optionalInteger(limit ?? keywords.get("maxsplit"), -1));
  };

const partitioned =
  (find: (text: string, separator: string) => number, absent: (text: string) => string[]): TextMethod =>
  (self, [separator]) => {
    const at = requiredText(separator);
    const index = find(self, at);
    if (index < 0) return new Tuple(absent(self));
    return new Tuple([self.slice(0, index), at, self.slice(index + at.length)]);
  };

/** `startswith` and `endswith`: test a range of the text for one text, or for any text in a tuple. */
const affixed =
  (test: (text: string, affix: string) => boolean): TextMethod =>
  (self, [affix, start, end]) => {
    const affixes = (sequenceItems(affix) ?? [affix]).map(requiredText);
    const range = searchRange(self, start, end);
    return range !== undefined && affixes.some((candidate) => test(range.text, candidate));
  };

const found =
  (find: (text: string, part: string) => number, orFail: boolean): TextMethod =>
  (self, [part, start, end]) => {
    const wanted = requiredText(part);
    const range = searchRange(self, start, end);
    const index = range === undefined ? -1 : find(range.text, wanted);
    if (range !== undefined && index >= 0) return range.offset + python.codePointLength(range.text.slice(0, index));
    if (orFail) throw new RenderError("substring not found");
    return -1;
  };

/** `isdigit` and similar methods: the text is not empty, and all characters belong to the class. */
const all =
  (character: RegExp): TextMethod =>
  (self) =>
    self !== "" && python.codePoints(self).every((c) => character.test(c));

const cased =
  (change: (text: string) => string): TextMethod =>
  (self) =>
    self === change(self) && self.toLowerCase() !== self.toUpperCase();

const justified =
  (fill: (text: string, width: number, padding: string) => string): TextMethod =>
  (self, [width, padding]) => {
    const extra = optionalInteger(width, 0) - python.codePointLength(self);
    return extra > 0 ? fill(self, self.length + extra, optionalText(padding) ?? " ") : self;
  };

const affixRemoved =
  (remove: (text: string, affix: string) => string): TextMethod =>
  (self, [affix]) =>
    remove(self, requiredText(affix));

const replaced: TextMethod = (self, [from, to, count], keywords) => {
  const most = optionalInteger(count ?? keywords.get("count"), -1);
  return python.replace(self, requiredText(from), requiredText(to), most);
};

const joined: TextMethod = (self, [items]) => {
  if (items === undefined) throw new RenderError("can only join an iterable");
  return itemsIn(items).map(requiredText).join(self);
};

const occurrences: TextMethod = (self, [part, start, end]) => {
  const wanted = requiredText(part);
  const range = searchRange(self, start, end);
  if (range === undefined) return 0;
  return wanted === "" ? python.codePointLength(range.text) + 1 : range.text.split(wanted).length - 1;
};

const METHODS: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ["upper", (self) => self.toUpperCase()],
  ["lower", (self) => self.toLowerCase()],
  ["casefold", (self) => self.toLowerCase()],
  ["title", python.titleCase],
  ["capitalize", python.capitalize],
  ["swapcase", python.swapCase],
  ["strip", stripped("both")],
  ["lstrip", stripped("left")],
  ["rstrip", stripped("right")],
  ["split", divided(python.split)],
  ["rsplit", divided(python.rsplit)],
  ["splitlines", python.splitLines],
  [
    "partition",
    partitioned(
      (text, at) => text.indexOf(at),
      (text) => [text, "", ""],
    ),
  ],
  [
    "rpartition",
    partitioned(
      (text, at) => text.lastIndexOf(at),
      (text) => ["", "", text],
    ),
  ],
  ["startswith", affixed((text, affix) => text.startsWith(affix))],
  ["endswith", affixed((text, affix) => text.endsWith(affix))],
  ["removeprefix", affixRemoved((text, affix) => (text.startsWith(affix) ? text.slice(affix.length) : text))],
  [
    "removesuffix",
    affixRemoved((text, affix) => (text.endsWith(affix) ? text.slice(0, text.length - affix.length) : text)),
  ],
  ["find", found((text, part) => text.indexOf(part), false)],
  ["rfind", found((text, part) => text.lastIndexOf(part), false)],
  ["index", found((text, part) => text.indexOf(part), true)],
  ["count", occurrences],
  ["replace", replaced],
  ["join", joined],
  ["format", braceFormat],
  ["isdigit", all(/^\p{Nd}$/u)],
  ["isnumeric", all(/^\p{N}$/u)],
  ["isalpha", all(/^\p{L}$/u)],
  ["isalnum", all(/^[\p{L}\p{N}]$/u)],
  ["isspace", (self) => self !== "" && python.strip(self, undefined, "both") === ""],
  ["isupper", cased((text) => text.toUpperCase())],
  ["islower", cased((text) => text.toLowerCase())],
  ["ljust", justified((text, width, padding) => text.padEnd(width, padding))],
  ["rjust", justified((text, width, padding) => text.padStart(width, padding))],
  ["zfill", justified(python.zeroFill)],
]);

/** Binds a method of `str` to markup. Text that the method inserts is escaped first; text that it returns is markup. */
function markupMethod(self: Markup, name: string, method: Method<string>): Callable {
  return (args, keywords) => toMarkup(method(self.text, escapedArguments(name, args), keywords));
}

function escapedArguments(name: string, args: readonly Value[]): readonly Value[] {
  if (name === "join") return args.map((items) => itemsIn(items).map(escapedText));
  if (name === "replace") return args.map((arg, index) => (index === 1 ? escapedText(arg) : arg));
  return args;
}

const escapedText = (value: Value): Value => (isText(value) ? escape(value) : value);

function toMarkup(value: Value): Value {
  if (typeof value === "string") return new Markup(value);
  if (value instanceof Tuple) return new Tuple(value.items.map(toMarkup));
  return isList(value) ? value.map(toMarkup) : value;
}

/** The part of a text in which `find` and similar methods search. */
interface SearchRange {
  readonly text: string;
  /** Number of code points before the part. */
  readonly offset: number;
}

/**
 * Reads the optional arguments `start` and `end` of a method that searches a text. They count code points; negative ones count from
 * the end.
 *
 * @returns undefined if the range begins after the text or after its own end, where Python finds not even an empty text
 */
function searchRange(text: string, start: Value | undefined, end: Value | undefined): SearchRange | undefined {
  if (isAbsent(start) && isAbsent(end)) return { text, offset: 0 };
  const length = codePointLength(text);
  const place = (value: Value | undefined, absent: number): number => {
    const at = isAbsent(value) ? absent : optionalInteger(value, absent);
    return at < 0 ? Math.max(0, at + length) : at;
  };
  const from = place(start, 0);
  const to = Math.min(place(end, length), length);
  if (from > to) return undefined;
  return { text: codePoints(text).slice(from, to).join(""), offset: from };
}

const isAbsent = (value: Value | undefined): boolean => value === undefined || value === NONE;
