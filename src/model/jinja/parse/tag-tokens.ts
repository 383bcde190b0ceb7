import { SPACE_CLASS } from "../text/python-string.js";
import { int } from "../values/value.js";
import { type Delimiter, syntaxError, type Token } from "./token.js";

const DIGITS = "(?:\\d+_)*\\d+";

// In the order in which Jinja2 tries them.
const SPACES = new RegExp(`${SPACE_CLASS}+`, "uy");
const FLOAT = new RegExp(`(?<!\\.)${DIGITS}(?:(?:\\.${DIGITS})?e[+-]?${DIGITS}|\\.${DIGITS})`, "iuy");
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iuy;
const NAME = /[\p{ID_Continue}]+/uy;
const STRING = /'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)"/suy;
const OPERATOR = /\*\*|\/\/|==|!=|>=|<=|[-+/*%~[\](){}<>=.:|,;]/uy;

const CLOSING: ReadonlyMap<string, string> = new Map([
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
export function readTag(source: string, from: number, end: RegExp, type: Delimiter, tokens: Token[]): number {
  const open: string[] = [];
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
      if (token.type === "operator") balance(open, source, token);
      tokens.push(token);
      at = token.end;
    } else at += spaces.length;
  }
  throw syntaxError(source, from, "a tag or an expression has no end");
}

/** Returns what a sticky pattern matches at a position. */
export function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

type ReadToken = Token & { readonly end: number };

function readToken(source: string, at: number): ReadToken {
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
    if (!/^[\p{ID_Start}_]/u.test(name)) throw syntaxError(source, at, `'${name}' is not a name`);
    return { type: "name", text: name, at, end: at + name.length };
  }
  const string = matchAt(STRING, source, at);
  if (string !== undefined) return readString(source, string, at);
  const operator = matchAt(OPERATOR, source, at);
  if (operator !== undefined) return { type: "operator", text: operator, at, end: at + operator.length };
  throw syntaxError(source, at, `unexpected character '${String.fromCodePoint(source.codePointAt(at) ?? 0)}'`);
}

function readString(source: string, literal: string, at: number): ReadToken {
  try {
    return { type: "string", text: unescapeLiteral(literal.slice(1, -1)), at, end: at + literal.length };
  } catch (error) {
    throw syntaxError(source, at, error instanceof Error ? error.message : String(error));
  }
}

/** Keeps the brackets that are still to be closed, the innermost last. */
function balance(open: string[], source: string, { text, at }: Token): void {
  const closing = CLOSING.get(text);
  if (closing !== undefined) open.push(closing);
  if (!["}", ")", "]"].includes(text)) return;
  const expected = open.pop();
  if (expected === undefined) throw syntaxError(source, at, `unexpected '${text}'`);
  if (expected !== text) throw syntaxError(source, at, `unexpected '${text}', expected '${expected}'`);
}

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gsu;

/**
 * Returns the text of a string literal, whose escapes are those of Python.
 *
 * @throws Error on an incomplete escape, and on characters by name (`\N{…}`), which are not supported
 */
function unescapeLiteral(literal: string): string {
  return literal.replace(ESCAPE, (_, octal?: string, ...rest: (string | undefined)[]) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const [two, four, eight, character = ""] = rest;
    const hex = two ?? four ?? eight;
    return hex === undefined ? unescapeCharacter(character) : fromHex(hex);
  });
}

function fromHex(hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) throw new Error(`illegal Unicode character \\U${hex}`);
  return String.fromCodePoint(code);
}

function unescapeCharacter(character: string): string {
  if (/[xuU]/.test(character)) throw new Error(`truncated \\${character} escape`);
  if (character === "N") throw new Error("characters by name, such as \\N{BULLET}, are not supported");
  return CHARACTERS.get(character) ?? `\\${asciiSpelling(character)}`;
}

/** Python spells text in ASCII before it reads the escapes, so a backslash escapes that spelling. */
function asciiSpelling(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character;
  const hex = code.toString(16);
  if (code <= 0xff) return `x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `u${hex.padStart(4, "0")}` : `U${hex.padStart(8, "0")}`;
}
