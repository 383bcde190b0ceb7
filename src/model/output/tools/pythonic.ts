import { type PendingCall, randomCallId } from "../message/pending-call.js";
import { pythonLiteral } from "../reader/python-literal.js";
import { PythonScanner } from "../reader/python-scanner.js";
import type { OutputReader, Step } from "../reader/reader.js";
import { ArgumentWriter } from "./argument-writer.js";
import { newCall, settle, type ToolContext, type ToolSyntax } from "./tool-syntax.js";

const START = "<|python_start|>";
const END = "<|python_end|>";
const NAME = /^[\p{L}\p{N}_.-]*/u;
const MAX_NAME = 256;

/**
 * Llama 3.2 and 4: a Python list of calls, `[f(a=1, b="x"), g()]`, at the beginning of the text, perhaps between markers.
 * A list is one of calls only if its first names a tool of the request. Source: Meta's prompt formats.
 */
export const pythonic: ToolSyntax = { markers: [START, END], read };

function* read(context: ToolContext): Step<void> {
  const { reader, out } = context;
  reader.record();
  yield* reader.skipSpace();
  yield* reader.accept(START);
  yield* reader.skipSpace();
  if (yield* reader.accept("[")) yield* readCalls(context);
  else out.text(reader.recorded());
  yield* reader.until(reader.markers([]), out.text);
}

/** Recording is on. */
function* readCalls(context: ToolContext): Step<void> {
  const { reader, out } = context;
  for (;;) {
    const call = newCall(context, randomCallId);
    const isWhole = yield* readCall(context, call);
    if (!isWhole && !call.isNamed) {
      out.text(reader.recorded());
      return;
    }
    yield* settle(context, call, isWhole, [END]);
    if (!isWhole) return;
    reader.record();
    yield* reader.skipSpace();
    if (!(yield* reader.accept(","))) break;
    yield* reader.skipSpace();
  }
  if (yield* reader.accept("]")) {
    yield* reader.skipSpace();
    yield* reader.accept(END);
    reader.recorded();
    out.boundary();
  } else if (yield* reader.ready()) out.malformed(reader.recorded());
}

function* readCall({ reader, tools }: ToolContext, call: PendingCall): Step<boolean> {
  yield* reader.skipSpace();
  const name = yield* reader.takeWhile(NAME, MAX_NAME);
  if (!tools.has(name) || !(yield* reader.accept("("))) return false;
  call.named(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (yield* reader.accept(")")) break;
    const key = yield* reader.takeWhile(NAME, MAX_NAME);
    yield* reader.skipSpace();
    if (key === "" || !(yield* reader.accept("="))) return false;
    const value = pythonLiteral(yield* readExpression(reader));
    if (value === undefined) return false;
    writer.add(key, value);
    if (!(yield* reader.accept(",")) && !(yield* reader.at(")"))) return false;
  }
  writer.end();
  return true;
}

function* readExpression(reader: OutputReader): Step<string> {
  const scanner = new PythonScanner();
  let text = "";
  while (!scanner.isDone && (yield* reader.ready()) && reader.text !== "")
    text += reader.take(scanner.scan(reader.text));
  return text.trim();
}
