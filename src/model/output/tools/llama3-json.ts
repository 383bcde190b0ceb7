import { randomCallId } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { readJsonCall } from "./json-call.js";
import { newCall, settle, type ToolContext, type ToolSyntax } from "./tool-syntax.js";

const PYTHON_TAG = "<|python_tag|>";

/**
 * Llama 3: `{"name": …, "parameters": {…}}` at the beginning of the text or behind `<|python_tag|>`, several with `;`
 * between them. Without the tag an object is a call only if its first key names a tool of the request: it may as well
 * be an answer in JSON. Source: Meta's prompt formats; the models' chat templates.
 */
export const llama3Json: ToolSyntax = { markers: [PYTHON_TAG], read };

function* read(context: ToolContext): Step<void> {
  const { reader, out } = context;
  const tag = reader.markers([PYTHON_TAG]);
  reader.record();
  yield* reader.skipSpace();
  if ((yield* reader.peek()) === "{") yield* readCalls(context, false);
  else out.text(reader.recorded());
  while ((yield* reader.until(tag, out.text)) !== undefined) {
    reader.record();
    reader.skip(PYTHON_TAG);
    yield* readCalls(context, true);
  }
}

/** Recording is on. */
function* readCalls(context: ToolContext, isTagged: boolean): Step<void> {
  const { reader, out, tools } = context;
  const options = isTagged ? {} : { isKnown: (name: string) => tools.has(name) };
  for (;;) {
    const call = newCall(context, randomCallId);
    const isWhole = yield* readJsonCall(reader, call, options);
    if (!isWhole && !isTagged && !call.isNamed) {
      out.text(reader.recorded());
      return;
    }
    yield* settle(context, call, isWhole, [PYTHON_TAG]);
    if (!isWhole) return;
    reader.record();
    yield* reader.skipSpace();
    if (yield* reader.accept(";")) yield* reader.skipSpace();
    if ((yield* reader.peek()) !== "{") break;
  }
  const between = reader.recorded();
  if (between.trim() !== ";") out.text(between);
}
