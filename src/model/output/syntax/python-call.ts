import type { PendingCall } from "../message/pending-call.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { parsePythonLiteral } from "../reader/python-literal.js";
import { PythonScanner } from "../reader/python-scanner.js";
import { ArgumentWriter } from "./argument-writer.js";
import type { CallContext } from "./call-syntax.js";

const NAME = /^[\p{L}\p{N}_.-]*/u;
const MAX_NAME = 256;

export interface PythonCallOptions {
  /** A marker shows that a call comes, so the function need not be a tool of the request. */
  readonly isMarked?: boolean;
  /** Returns the JSON of a value; undefined if it is malformed. By default, values are Python literals. */
  readonly toJson?: (value: string) => string | undefined;
}

/**
 * Reads a call in Python's syntax: `f(a=1, b="x")`. Unless a marker comes before it, it is a call only if the function
 * is a tool of the request.
 *
 * @returns true if the call is well formed
 */
export function* readPythonCall(
  { reader, tools }: CallContext,
  call: PendingCall,
  { isMarked = false, toJson = parsePythonLiteral }: PythonCallOptions = {},
): Step<boolean> {
  yield* reader.skipSpace();
  const name = yield* reader.takeWhile(NAME, MAX_NAME);
  if (!(isMarked ? name !== "" : tools.has(name)) || !(yield* reader.accept("("))) return false;
  call.setName(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (yield* reader.accept(")")) break;
    const key = yield* reader.takeWhile(NAME, MAX_NAME);
    yield* reader.skipSpace();
    if (key === "" || !(yield* reader.accept("="))) return false;
    const value = toJson(yield* readExpression(reader));
    if (value === undefined) return false;
    writer.add(key, value);
    if (!(yield* reader.accept(",")) && !(yield* reader.at(")"))) return false;
  }
  writer.end();
  return true;
}

/** Reads a Python expression up to a comma or a closing bracket that is not part of it. */
export function* readExpression(reader: OutputCursor): Step<string> {
  const scanner = new PythonScanner();
  let text = "";
  while (!scanner.isDone && (yield* reader.ready()) && reader.text !== "")
    text += reader.take(scanner.scan(reader.text));
  return text.trim();
}
