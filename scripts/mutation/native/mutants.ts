import type { Insert } from "../inserts.js";
import type { Mutant } from "../mutants.js";
import { closingBracket, lex, statementEnd } from "./lexer.js";

/** A fault that can be switched on in a C++ file. */
export interface NativeMutant extends Mutant {
  /** The code of the switch before and behind the replaced source. */
  readonly open: string;
  readonly close: string;
}

/** Declared in `switch.h`. */
const SWITCH = "rolltape::mutantIsOn";

interface Found {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly replacement: string;
  /** `statement`: left out. `value`: replaced. `condition`: likewise, and converted to bool. */
  readonly kind: "statement" | "value" | "condition";
}

/** Finds the faults of one kind. `code` is the source without comments and the content of literals. */
type Operator = (code: string, source: string) => Found[];

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["==", "!="],
  ["!=", "=="],
  ["&&", "||"],
  ["||", "&&"],
]);
// clang-format puts spaces around operators, and none around the brackets of templates.
const COMPARISON = / (<=|>=|<|>|==|!=|&&|\|\|)(?=\s)/g;

const operators: readonly Operator[] = [
  /** Conditions that always hold, or never, or compare otherwise. A loop is not made endless. */
  (code, source) =>
    [...code.matchAll(/\b(if|while) \(/g)].flatMap(({ 0: { length }, 1: keyword, index }) => {
      const [start, end] = [index + length, closingBracket(code, index + length - 1)];
      const condition = code.slice(start, end);
      if (end < 0 || isDeclaration(condition)) return [];
      const always = keyword === "if" ? ["true", "false"] : ["false"];
      return [
        ...always.map(
          (value): Found => ({ start, end, name: `condition to ${value}`, replacement: value, kind: "condition" }),
        ),
        ...comparisons(code, source, start, end),
      ];
    }),

  /** Values of returns that are comparisons. */
  (code, source) =>
    [...code.matchAll(/\breturn (?=[^;{]*;)/g)].flatMap(({ 0: { length }, index }) => {
      const start = index + length;
      const end = statementEnd(code, start);
      const isComparison = end > 0 && outside(code.slice(start, end)).search(COMPARISON) >= 0;
      if (!isComparison || outside(code.slice(start, end)).includes("?")) return [];
      return comparisons(code, source, start, end);
    }),

  /** Calls, assignments and increments that are statements. */
  (code) =>
    [...code.matchAll(/^[ ]*(?=\S)/gm)].flatMap(({ 0: { length }, index }) => {
      const start = index + length;
      if (!/[;{}:)]\s*$/.test(code.slice(Math.max(0, index - 400), index))) return [];
      const end = statementEnd(code, start);
      const statement = code.slice(start, end + 1);
      if (end < 0 || !isAction(statement)) return [];
      return [{ start, end: end + 1, name: "statement dropped", replacement: "", kind: "statement" }];
    }),

  (code) =>
    [...code.matchAll(/\bcontinue;/g)].map(({ 0: text, index }) => ({
      start: index,
      end: index + text.length,
      name: "continue dropped",
      replacement: "",
      kind: "statement",
    })),

  (code) =>
    [...code.matchAll(/(?<![<\w])(true|false)\b/g)].map(({ 0: text, index }) => {
      const replacement = text === "true" ? "false" : "true";
      return { start: index, end: index + text.length, name: `${text} to ${replacement}`, replacement, kind: "value" };
    }),

  /** Off by one. */
  (code) =>
    [...code.matchAll(/(?<= ([+-]) )1(?![\w.'])/g)].map(({ 1: sign, index }) => ({
      start: index,
      end: index + 1,
      name: `${sign} 1 dropped`,
      replacement: "0",
      kind: "value",
    })),

  (code, source) =>
    [...code.matchAll(/\bstd::(min|max)(?:<[\w:]+>)?\(/g)].flatMap(({ 0: text, 1: name = "", index }) => {
      const end = closingBracket(code, index + text.length - 1) + 1;
      if (end === 0) return [];
      const other = name === "min" ? "max" : "min";
      const replacement = source.slice(index, end).replace(name, other);
      return [{ start: index, end, name: `${name} to ${other}`, replacement, kind: "value" }];
    }),
];

/** Finds every mutant of a C++ source, numbered from `firstId`. */
export function findNativeMutants(source: string, file: string, firstId: number): NativeMutant[] {
  const { code } = lex(source);
  const found = operators.flatMap((operator) => operator(code, source)).filter(({ start }) => !isConstant(code, start));
  found.sort((a, b) => a.start - b.start);
  return found.map(({ start, end, name, replacement, kind }, index) => {
    const id = firstId + index;
    const on = `${SWITCH}(${id})`;
    // On one line, so that the lines of the compiler's errors are those of the source.
    const value = replacement.replaceAll(/\s+/g, " ");
    const [open, close] = {
      statement: [`{ if (!${on}) `, " }"],
      value: [`(${on} ? (${value}) : (`, "))"],
      condition: [`(${on} ? (${value}) : static_cast<bool>(`, "))"],
    }[kind] as [string, string];
    const line = source.slice(0, start).split("\n").length;
    return { id, file, line, name, replacement, open, close, node: { type: kind, start, end } };
  });
}

/** Returns the two pieces of code that put a mutant behind a switch. */
export function nativeSwitch({ id, node: { start, end }, open, close }: NativeMutant): [Insert, Insert] {
  const width = end - start + id / 1e9;
  return [
    { at: start, code: open, opens: true, width },
    { at: end, code: close, opens: false, width },
  ];
}

/** A fault for each comparison between `start` and `end`, as the whole expression with the other operator. */
function comparisons(code: string, source: string, start: number, end: number): Found[] {
  const part = code.slice(start, end);
  // A lambda has statements of its own.
  if (/[{;]/.test(part) || source.slice(start, end).includes("//")) return [];
  return [...part.matchAll(COMPARISON)].map(({ 1: operator = "", index }) => {
    const at = start + index + 1;
    const other = COMPARISONS.get(operator) ?? operator;
    const replacement = source.slice(start, at) + other + source.slice(at + operator.length, end);
    return { start, end, name: `${operator} to ${other}`, replacement, kind: "condition" };
  });
}

/** The code outside of brackets. */
function outside(code: string): string {
  let text = "";
  for (let at = 0; at < code.length; at++) {
    const close = /[([{]/.test(code.charAt(at)) ? closingBracket(code, at) : -1;
    text += code.charAt(at);
    if (close > at) at = close;
  }
  return text;
}

/** `if (const auto x = f())`, `if (init; condition)`. */
function isDeclaration(condition: string): boolean {
  return /;|^\s*(?:const\s+)?[\w:<>,*&\s]+\s[*&]?\w+\s*=[^=]/.test(condition);
}

const KEYWORDS =
  /^(?:return|if|for|while|do|switch|case|default|throw|static_assert|using|namespace|template|else|goto|delete|new|public|private|protected|friend|typedef|assert)\b/;
/** `a = b;`, `a.b[c] += d;`. A declaration has a space in front of its `=`, after the type. */
const ASSIGNMENT = /^\*?[a-z_][\w.[\]:]*(?:->[\w.[\]]+)*(?:\([^()]*\))?[\w.[\]]* (?:=|[-+*/|&^]=|<<=|>>=)\s/;
const INCREMENT = /^(?:\+\+|--)[\w.>[\]-]+;|^[\w.[\]]+(?:\+\+|--);/;
/** `f(x);`, `a.b->f(x);`, `ns::f(x);`. The last name is in lower case: constructors are not called as statements. */
const CALL = /^(?:[A-Za-z_]\w*(?:\(\))?(?:\.|->|::))*[a-z_]\w*\(/;

/** Without it, the same values take more allocations, which nobody can see. */
const RESERVE = /^(?:[\w.]*\.reserve|reserveForRest)\(/;

function isAction(statement: string): boolean {
  if (KEYWORDS.test(statement) || RESERVE.test(statement)) return false;
  if (ASSIGNMENT.test(statement) || INCREMENT.test(statement)) return true;
  return CALL.test(statement) && !/\)\s*(?:const|override|noexcept|=)/.test(outside(statement));
}

/** What must be known when the code is compiled. */
function isConstant(code: string, at: number): boolean {
  const line = code.slice(code.lastIndexOf("\n", at) + 1, code.indexOf("\n", at));
  return /\b(?:constexpr|static_assert|case|enum|template)\b/.test(line);
}
