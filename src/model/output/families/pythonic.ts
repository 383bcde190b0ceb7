import type { Family } from "../family.js";
import { randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { describePythonCall } from "../structure/python-call.js";
import { type CallContext, finishCall, newCall } from "../syntax/call-syntax.js";
import { readPythonCall } from "../syntax/python-call.js";

const START = "<|python_start|>";
const END = "<|python_end|>";

/**
 * Llama 3.2 and 4: a Python list of calls at the start of the text, perhaps between markers. A list consists of calls
 * only if its first item names a tool of the request. Source: Meta's prompt formats.
 */
export const pythonic = {
  name: "pythonic",
  calls: {
    docs: { models: "Llama 3.2 and 4", call: '`[f(a=1, b="x"), g()]`', arguments: "Python" },
    // Llama 3.2 says `params_name1=`, Llama 4 `param1=`.
    detection: { template: ["func_name1(param"] },
    syntax: { markers: [START, END], read },
    // No trigger: an answer may be a list.
    structure: { section: { begin: "[", end: "]" }, list: { separator: ", " }, describeCall: describePythonCall },
  },
} as const satisfies Family;

function* read(context: CallContext): Step<void> {
  const { reader, out } = context;
  reader.startRecording();
  yield* reader.skipSpace();
  yield* reader.accept(START);
  yield* reader.skipSpace();
  if (yield* reader.accept("[")) yield* readCalls(context);
  else out.text(reader.endRecording());
  yield* reader.until(reader.markers([]), out.text);
}

/** Reads the list, whose bracket is taken. Recording is on. */
function* readCalls(context: CallContext): Step<void> {
  const { reader, out } = context;
  for (;;) {
    const call = newCall(context, randomCallId);
    const isWhole = yield* readPythonCall(context, call);
    if (!isWhole && !call.isNamed) {
      out.text(reader.endRecording());
      return;
    }
    yield* finishCall(context, call, isWhole, [END]);
    if (!isWhole) return;
    reader.startRecording();
    yield* reader.skipSpace();
    if (!(yield* reader.accept(","))) break;
    yield* reader.skipSpace();
  }
  if (yield* reader.accept("]")) {
    yield* reader.skipSpace();
    yield* reader.accept(END);
    reader.endRecording();
    out.markBoundary();
  } else if (yield* reader.ready()) out.writeMalformed(reader.endRecording());
}
