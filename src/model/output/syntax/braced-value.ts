import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { parsePythonLiteral } from "../reader/python-literal.js";
import { readUpTo } from "./call-header.js";
import { readExpression } from "./python-call.js";

/** Objects in braces whose keys are bare and whose strings stand between quote markers: `{key:<|"|>text<|"|>,n:1}`. */
export interface BracedSyntax {
  /** The marker before and after a string, which has no escapes. */
  readonly quote: string;
  /** The marker that ends the call. A string that it cuts off is malformed. */
  readonly end: string;
}

/** Deepest nesting of arguments, so that the recursion over them cannot overflow the stack. */
const MAX_DEPTH = 128;

const KEY = /^[^:{}]*/;
const MAX_KEY = 1024;
const BARE = /^[^,}\]<]*/;
const MAX_BARE = 1024;

/**
 * Reads the members of an object whose opening brace is taken, and the closing brace.
 *
 * @param add takes the key and the JSON text of each member
 * @returns true if the object is well formed
 */
export function* readBracedMembers(
  reader: OutputCursor,
  syntax: BracedSyntax,
  add: (key: string, json: string) => void,
  depth = 0,
): Step<boolean> {
  yield* reader.skipSpace();
  if (yield* reader.accept("}")) return true;
  for (;;) {
    const key = yield* readKey(reader, syntax);
    if (key === undefined || !(yield* reader.accept(":"))) return false;
    const json = yield* readValue(reader, syntax, depth);
    if (json === undefined) return false;
    add(key, json);
    yield* reader.skipSpace();
    if (yield* reader.accept("}")) return true;
    if (!(yield* reader.accept(","))) return false;
  }
}

function* readKey(reader: OutputCursor, syntax: BracedSyntax): Step<string | undefined> {
  yield* reader.skipSpace();
  if (yield* reader.accept(syntax.quote)) return yield* readQuoted(reader, syntax);
  const key = (yield* reader.takeWhile(KEY, MAX_KEY)).trim();
  const literal = /^["']/.test(key) ? parsePythonLiteral(key) : undefined;
  return literal === undefined ? key : (JSON.parse(literal) as string);
}

/** Reads a value and returns its JSON text. Models sometimes quote strings as JSON or Python does, or not at all. */
function* readValue(reader: OutputCursor, syntax: BracedSyntax, depth: number): Step<string | undefined> {
  yield* reader.skipSpace();
  if (depth === MAX_DEPTH) return undefined;
  if (yield* reader.accept(syntax.quote)) {
    const text = yield* readQuoted(reader, syntax);
    return text === undefined ? undefined : JSON.stringify(text);
  }
  if (yield* reader.accept("{")) {
    const members: string[] = [];
    const add = (key: string, json: string): number => members.push(`${JSON.stringify(key)}: ${json}`);
    return (yield* readBracedMembers(reader, syntax, add, depth + 1)) ? `{${members.join(", ")}}` : undefined;
  }
  if (yield* reader.accept("[")) return yield* readItems(reader, syntax, depth + 1);
  const first = yield* reader.peek();
  if (first === '"' || first === "'") return parsePythonLiteral(yield* readExpression(reader));
  const bare = (yield* reader.takeWhile(BARE, MAX_BARE)).trim();
  return bare === "" ? undefined : (parsePythonLiteral(bare) ?? JSON.stringify(bare));
}

/** Reads the items of a list whose opening bracket is taken, and the closing bracket. */
function* readItems(reader: OutputCursor, syntax: BracedSyntax, depth: number): Step<string | undefined> {
  const items: string[] = [];
  yield* reader.skipSpace();
  while (!(yield* reader.accept("]"))) {
    if (items.length > 0 && !(yield* reader.accept(","))) return undefined;
    const json = yield* readValue(reader, syntax, depth);
    if (json === undefined) return undefined;
    items.push(json);
    yield* reader.skipSpace();
  }
  return `[${items.join(", ")}]`;
}

/** Reads a string whose opening quote is taken, and the closing quote. */
function* readQuoted(reader: OutputCursor, { quote, end }: BracedSyntax): Step<string | undefined> {
  const text = yield* readUpTo(reader, [quote, end]);
  if (text?.marker !== quote) return undefined;
  reader.skip(quote);
  return text.text;
}
