import type { PendingCall } from "../message/pending-call.js";
import type { OutputReader, Step } from "../reader/reader.js";
import { framedCalls } from "./framed-calls.js";
import { readArguments } from "./json-call.js";
import { callName, readUpTo } from "./named-call.js";

const SEPARATOR = "<｜tool▁sep｜>";
const END = "<｜tool▁call▁end｜>";
const FENCE = "```";

const frame = {
  section: { begin: "<｜tool▁calls▁begin｜>", end: "<｜tool▁calls▁end｜>" },
  begin: "<｜tool▁call▁begin｜>",
  end: END,
  inner: [SEPARATOR],
};

/**
 * DeepSeek V3 and R1: `function`, a separator, the name, and the arguments between fences.
 * Source: the models' chat templates.
 */
export const deepseekV3 = framedCalls({ ...frame, body: ({ reader }, call) => readFenced(reader, call) });

/** DeepSeek V3.1: the name, a separator, the arguments. Source: the model's chat template. */
export const deepseekV31 = framedCalls({ ...frame, body: ({ reader }, call) => readBare(reader, call) });

function* readFenced(reader: OutputReader, call: PendingCall): Step<boolean> {
  const type = yield* readUpTo(reader, [SEPARATOR, END]);
  if (type?.marker !== SEPARATOR || type.text.trim() !== "function") return false;
  reader.skip(SEPARATOR);
  const header = yield* readUpTo(reader, [FENCE, END]);
  const name = callName(header?.text ?? "");
  if (header?.marker !== FENCE || name === undefined) return false;
  reader.skip(FENCE);
  yield* reader.accept("json");
  call.named(name);
  if (!(yield* readArguments(reader, call))) return false;
  yield* reader.skipSpace();
  return yield* reader.accept(FENCE);
}

function* readBare(reader: OutputReader, call: PendingCall): Step<boolean> {
  const header = yield* readUpTo(reader, [SEPARATOR, END]);
  const name = callName(header?.text ?? "");
  if (header?.marker !== SEPARATOR || name === undefined) return false;
  reader.skip(SEPARATOR);
  call.named(name);
  return yield* readArguments(reader, call);
}
