import type { PendingCall } from "../message/pending-call.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { parsePythonLiteral } from "../reader/python-literal.js";
import { ArgumentWriter } from "./argument-writer.js";
import { parseCallName } from "./call-header.js";
import { readExpression } from "./python-call.js";

const NAME = /^[\p{L}\p{N}_.-]*/u;
const MAX_NAME = 256;
const SPACE = /^[ \t\r\n]*/;
const QUOTES = ['"', "'"] as const;
type Quote = (typeof QUOTES)[number];
/** Text of a string up to a quote or a backslash. */
const TEXT = { '"': /^[^"\\]*/, "'": /^[^'\\]*/ } as const;

/** The text after an argument: the name of the next one, or the end of the call. Undefined: anything else. */
type Next = { readonly key: string } | "end" | undefined;

/**
 * Reads a call in Python's syntax whose strings may contain unescaped quotes and line breaks: a quote ends a string only
 * if another argument or the end of the call follows. The function's name is not checked against the tools.
 *
 * @param end the marker after the calls
 * @returns true if the call is well formed
 */
export function* readLoosePythonCall(reader: OutputCursor, call: PendingCall, end: string): Step<boolean> {
  yield* reader.skipSpace();
  const name = parseCallName(yield* reader.takeWhile(NAME, MAX_NAME));
  if (name === undefined || !(yield* reader.accept("("))) return false;
  call.setName(name);
  const writer = new ArgumentWriter(call);
  yield* reader.skipSpace();
  if (yield* reader.accept(")")) return true;
  let next = yield* readKey(reader);
  while (typeof next === "object") {
    const argument: Argument = yield* readArgument(reader, end);
    if (argument.json === undefined) return false;
    writer.add(next.key, argument.json);
    next = argument.next;
  }
  writer.end();
  return next === "end";
}

interface Argument {
  /** The value's JSON text; undefined if it is malformed. */
  readonly json: string | undefined;
  readonly next: Next;
}

function* readArgument(reader: OutputCursor, end: string): Step<Argument> {
  yield* reader.skipSpace();
  for (const quote of QUOTES) {
    if ((yield* reader.at(quote)) && !(yield* reader.at(quote.repeat(3)))) return yield* readString(reader, quote, end);
  }
  const json = parsePythonLiteral(yield* readExpression(reader));
  return { json, next: (yield* readNext(reader, end)).next };
}

/** Reads a string. A quote after which neither an argument nor the end of the call comes is a part of it. */
function* readString(reader: OutputCursor, quote: Quote, end: string): Step<Argument> {
  reader.take(1);
  let body = "";
  for (;;) {
    body += escapeBreaks(yield* reader.takeWhile(TEXT[quote], Number.POSITIVE_INFINITY));
    if (yield* reader.accept("\\")) {
      body += `\\${(yield* reader.ready()) ? reader.take(1) : ""}`;
    } else if (yield* reader.accept(quote)) {
      const { next, written } = yield* readNext(reader, end);
      if (next !== undefined) return { json: parsePythonLiteral(quote + body + quote), next };
      body += `\\${quote}${escapeBreaks(written)}`;
    } else return { json: undefined, next: undefined };
  }
}

const escapeBreaks = (text: string): string => text.replaceAll("\n", "\\n");

/** Reads what follows an argument, and returns its text. */
function* readNext(reader: OutputCursor, end: string): Step<{ readonly next: Next; readonly written: string }> {
  let written = yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY);
  if (yield* reader.accept(")")) {
    written += `)${yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY)}`;
    const character = yield* reader.peek();
    const isEnd = character === undefined || "],".includes(character) || (yield* reader.at(end));
    return { next: isEnd ? "end" : undefined, written };
  }
  if (!(yield* reader.accept(","))) return { next: undefined, written };
  written += `,${yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY)}`;
  const key = yield* reader.takeWhile(NAME, MAX_NAME);
  const space = yield* reader.takeWhile(SPACE, Number.POSITIVE_INFINITY);
  written += key + space;
  const isKey = key !== "" && (yield* reader.accept("="));
  return { next: isKey ? { key } : undefined, written };
}

function* readKey(reader: OutputCursor): Step<Next> {
  const key = yield* reader.takeWhile(NAME, MAX_NAME);
  yield* reader.skipSpace();
  return key !== "" && (yield* reader.accept("=")) ? { key } : undefined;
}
