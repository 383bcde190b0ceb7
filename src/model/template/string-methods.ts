import { braceFormat } from "./format.js";
import { ArrayValue, NullValue, StringValue, type TypedValue, type Value } from "./jinja.js";
import { argumentText, textLike } from "./markup.js";
import * as python from "./python-string.js";
import {
  bool,
  func,
  int,
  isMissing,
  isText,
  list,
  missing,
  numberOf,
  RenderError,
  splitArguments,
  tuple,
  typeName,
} from "./values.js";

type Text = TypedValue<string>;
type Method = (self: Text, args: readonly Value[], keywords: ReadonlyMap<string, Value>) => Value;

/** The method of that name on a text, bound to it; undefined where Python's `str` has none, or none that we know. */
export function stringMethod(self: Text, name: string): Value | undefined {
  const method = METHODS.get(name);
  if (method === undefined) return undefined;
  return func((args) => method(self, ...splitArguments(args)));
}

export const hasStringMethod = (name: string): boolean => METHODS.has(name);

/** A text argument; undefined where it is absent or None. */
export function optionalText(value: Value | undefined): string | undefined {
  if (value === undefined || value instanceof NullValue) return undefined;
  return requiredText(value);
}

export function requiredText(value: Value | undefined): string {
  if (value !== undefined && isText(value)) return value.value;
  if (value !== undefined && isMissing(value)) throw missing(value);
  throw new RenderError(`expected a string, got ${value === undefined ? "nothing" : typeName(value)}`);
}

export function optionalInteger(value: Value | undefined, absent: number): number {
  return value === undefined || value instanceof NullValue ? absent : Number(numberOf(value) ?? absent);
}

const mapped =
  (change: (text: string) => string): Method =>
  (self) =>
    textLike(self, change(self.value));

const stripped =
  (sides: python.Sides): Method =>
  (self, [characters]) =>
    textLike(self, python.strip(self.value, optionalText(characters), sides));

const parts = (self: Text, texts: readonly string[]): Value[] => texts.map((text) => textLike(self, text));

const divided =
  (divide: typeof python.split): Method =>
  (self, [separator, limit], keywords) => {
    const at = optionalText(separator ?? keywords.get("sep"));
    if (at === "") throw new RenderError("empty separator");
    return list(parts(self, divide(self.value, at, optionalInteger(limit ?? keywords.get("maxsplit"), -1))));
  };

const partitioned =
  (find: (text: string, separator: string) => number, absent: (text: string) => string[]): Method =>
  (self, [separator]) => {
    const at = requiredText(separator);
    const index = find(self.value, at);
    if (index < 0) return tuple(parts(self, absent(self.value)));
    return tuple(parts(self, [self.value.slice(0, index), at, self.value.slice(index + at.length)]));
  };

/** `startswith` and `endswith`: of one text, or of any in a tuple. */
const affixed =
  (test: (text: string, affix: string) => boolean): Method =>
  (self, [affix]) => {
    const affixes = affix instanceof ArrayValue ? affix.value : [affix];
    return bool(affixes.some((candidate) => test(self.value, requiredText(candidate))));
  };

const found =
  (find: (text: string, part: string) => number, orFail: boolean): Method =>
  (self, [part]) => {
    const index = find(self.value, requiredText(part));
    if (index < 0 && orFail) throw new RenderError("substring not found");
    return int(index < 0 ? -1 : python.codePointLength(self.value.slice(0, index)));
  };

/** `isdigit` and its kin: all characters are of the class, and there is one. */
const all =
  (character: RegExp): Method =>
  (self) =>
    bool(self.value !== "" && python.codePoints(self.value).every((c) => character.test(c)));

const cased =
  (change: (text: string) => string): Method =>
  (self) =>
    bool(self.value === change(self.value) && self.value.toLowerCase() !== self.value.toUpperCase());

const justified =
  (fill: (text: string, width: number, padding: string) => string): Method =>
  (self, [width, padding]) => {
    const extra = optionalInteger(width, 0) - python.codePointLength(self.value);
    return textLike(
      self,
      extra > 0 ? fill(self.value, self.value.length + extra, optionalText(padding) ?? " ") : self.value,
    );
  };

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["upper", mapped((text) => text.toUpperCase())],
  ["lower", mapped((text) => text.toLowerCase())],
  ["casefold", mapped((text) => text.toLowerCase())],
  ["title", mapped(python.titleCase)],
  ["capitalize", mapped(python.capitalize)],
  ["swapcase", mapped(python.swapCase)],
  ["strip", stripped("both")],
  ["lstrip", stripped("left")],
  ["rstrip", stripped("right")],
  ["split", divided(python.split)],
  ["rsplit", divided(python.rsplit)],
  ["splitlines", (self) => list(parts(self, python.splitLines(self.value)))],
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
  ["count", (self, [part]) => int(occurrences(self.value, requiredText(part)))],
  ["replace", replaced],
  ["join", joined],
  ["format", (self, args, keywords) => textLike(self, braceFormat(self.value, args, keywords))],
  ["isdigit", all(/^\p{Nd}$/u)],
  ["isnumeric", all(/^\p{N}$/u)],
  ["isalpha", all(/^\p{L}$/u)],
  ["isalnum", all(/^[\p{L}\p{N}]$/u)],
  ["isspace", (self) => bool(self.value !== "" && python.strip(self.value, undefined, "both") === "")],
  ["isupper", cased((text) => text.toUpperCase())],
  ["islower", cased((text) => text.toLowerCase())],
  ["ljust", justified((text, width, padding) => text.padEnd(width, padding))],
  ["rjust", justified((text, width, padding) => text.padStart(width, padding))],
  ["zfill", justified((text, width) => text.padStart(width, "0"))],
]);

function affixRemoved(remove: (text: string, affix: string) => string): Method {
  return (self, [affix]) => textLike(self, remove(self.value, requiredText(affix)));
}

function replaced(self: Text, args: readonly Value[], keywords: ReadonlyMap<string, Value>): Value {
  const [from, to, count] = args;
  requiredText(to);
  const replacement = to instanceof StringValue ? argumentText(self, to) : "";
  const most = optionalInteger(count ?? keywords.get("count"), -1);
  return textLike(self, python.replace(self.value, requiredText(from), replacement, most));
}

function joined(self: Text, [items]: readonly Value[]): Value {
  if (items instanceof ArrayValue)
    return textLike(self, items.value.map((item) => joinedItem(self, item)).join(self.value));
  if (items !== undefined && isText(items)) return textLike(self, python.codePoints(items.value).join(self.value));
  throw new RenderError("can only join an iterable");
}

function joinedItem(self: Text, item: Value): string {
  requiredText(item);
  return argumentText(self, item);
}

function occurrences(text: string, part: string): number {
  return part === "" ? python.codePointLength(text) + 1 : text.split(part).length - 1;
}
