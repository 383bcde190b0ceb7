import type { PendingCall } from "../message/pending-call.js";
import type { OutputReader, Step } from "../reader/reader.js";
import { framedCalls } from "./framed-calls.js";
import { readArguments } from "./json-call.js";
import { callName, readUpTo } from "./named-call.js";

const ARGUMENTS = "<|tool_call_argument_begin|>";
const END = "<|tool_call_end|>";

/**
 * Kimi K2: the call's id `functions.NAME:INDEX`, which the model wants to see again, and the arguments.
 * Source: the model's chat template and tool-calling guide.
 */
export const kimiK2 = framedCalls({
  section: { begin: "<|tool_calls_section_begin|>", end: "<|tool_calls_section_end|>" },
  begin: "<|tool_call_begin|>",
  end: END,
  inner: [ARGUMENTS],
  body: ({ reader }, call) => readBody(reader, call),
});

function* readBody(reader: OutputReader, call: PendingCall): Step<boolean> {
  const header = yield* readUpTo(reader, [ARGUMENTS, END]);
  const id = callName(header?.text ?? "");
  if (header?.marker !== ARGUMENTS || id === undefined) return false;
  reader.skip(ARGUMENTS);
  const [, name] = /^(?:functions\.)?(.+):[0-9]+$/.exec(id) ?? [];
  if (name === undefined) return false;
  call.named(name, id);
  return yield* readArguments(reader, call);
}
