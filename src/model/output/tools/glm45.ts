import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { parameterTypes } from "./argument-values.js";
import { ArgumentWriter } from "./argument-writer.js";
import { framedCalls } from "./framed-calls.js";
import { callName, readUpTo } from "./named-call.js";
import type { ToolContext } from "./tool-syntax.js";

const END = "</tool_call>";
const KEY = { begin: "<arg_key>", end: "</arg_key>" };
const VALUE = { begin: "<arg_value>", end: "</arg_value>" };

/**
 * GLM 4.5 to 4.7: `<tool_call>NAME` and pairs of `<arg_key>` and `<arg_value>`, on lines of their own or not.
 * Source: the models' chat templates.
 */
export const glm45 = framedCalls({
  begin: "<tool_call>",
  end: END,
  inner: [KEY.begin, KEY.end, VALUE.begin, VALUE.end],
  body: readCall,
});

function* readCall({ reader, tools }: ToolContext, call: PendingCall): Step<boolean> {
  const header = yield* readUpTo(reader, [KEY.begin, END]);
  const name = callName(header?.text ?? "");
  if (name === undefined) return false;
  call.named(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.accept(KEY.begin))) break;
    const key = yield* readUpTo(reader, [KEY.end, END]);
    if (key?.marker !== KEY.end) return false;
    reader.skip(KEY.end);
    yield* reader.skipSpace();
    if (!(yield* reader.accept(VALUE.begin))) return false;
    const value = yield* readUpTo(reader, [VALUE.end]);
    if (value === undefined) return false;
    reader.skip(VALUE.end);
    const types = parameterTypes(tools.get(name), key.text.trim());
    writer.addText(key.text.trim(), value.text, types, { untyped: "json", nullForStrings: false });
  }
  writer.end();
  return true;
}
