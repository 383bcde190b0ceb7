import type { Family } from "../family.js";
import { randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { describeJsonCall } from "../structure/call-structure.js";
import { type CallContext, finishCall, newCall } from "../syntax/call-syntax.js";
import { readJsonCall } from "../syntax/json-call.js";

const PYTHON_TAG = "<|python_tag|>";

/**
 * Llama 3: JSON objects at the start of the text or after `<|python_tag|>`. Without the tag an object is a call only
 * if its first key names a tool of the request: it may as well be an answer in JSON. Sources: Meta's prompt formats;
 * the models' chat templates.
 */
export const llama3Json = {
  name: "llama3_json",
  calls: {
    docs: {
      models: "Llama 3.1 and 3.3",
      call: '`{"name": …, "parameters": {…}}`, or after `<|python_tag|>`; several with `;` or `,`, or in a list',
      arguments: "JSON",
    },
    detection: { template: ['{"name": function name, "parameters":'], isShared: true },
    syntax: { markers: [PYTHON_TAG], read },
    // No trigger: an answer may be an object with a name.
    structure: {
      list: { separator: "; " },
      describeCall: describeJsonCall((name) => `{"name": "${name}", "parameters": `, "}"),
    },
  },
} as const satisfies Family;

function* read(context: CallContext): Step<void> {
  const { reader, out } = context;
  const tag = reader.markers([PYTHON_TAG]);
  reader.startRecording();
  yield* reader.skipSpace();
  const next = yield* reader.peek();
  if (next === "{" || next === "[") yield* readCalls(context, false);
  else out.text(reader.endRecording());
  while ((yield* reader.until(tag, out.text)) !== undefined) {
    reader.startRecording();
    reader.skip(PYTHON_TAG);
    yield* reader.skipSpace();
    yield* readCalls(context, true);
  }
}

/** Reads calls, perhaps in a list, up to something else. Recording is on. */
function* readCalls(context: CallContext, isTagged: boolean): Step<void> {
  const { reader, out, tools } = context;
  const options = isTagged ? {} : { isKnown: (name: string) => tools.has(name) };
  const inList = yield* reader.accept("[");
  for (let isFirst = true; ; isFirst = false) {
    const call = newCall(context, randomCallId);
    const isWhole = yield* readJsonCall(context, call, options);
    if (!isWhole && !isTagged && !call.isNamed && (isFirst || !inList)) {
      out.text(reader.endRecording());
      return;
    }
    yield* finishCall(context, call, isWhole, [PYTHON_TAG]);
    if (!isWhole) return;
    reader.startRecording();
    yield* reader.skipSpace();
    const separated = (yield* reader.accept(";")) || (yield* reader.accept(","));
    yield* reader.skipSpace();
    if (separated && inList) continue;
    if ((yield* reader.peek()) !== "{") break;
  }
  yield* readEnd(context, inList);
}

/** Reads the end of the calls. Recording is on since the last call. */
function* readEnd({ reader, out }: CallContext, inList: boolean): Step<void> {
  if (inList && !(yield* reader.accept("]")) && (yield* reader.ready())) {
    out.writeMalformed(reader.endRecording());
    return;
  }
  const written = reader.endRecording();
  if (inList) out.markBoundary();
  else if (written.trim() !== ";") out.text(written);
}
