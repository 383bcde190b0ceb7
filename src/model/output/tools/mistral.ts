import { randomInt } from "node:crypto";
import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { readArguments, readJsonCall } from "./json-call.js";
import { callName, readUpTo } from "./named-call.js";
import { newCall, settle, type ToolContext, type ToolSyntax } from "./tool-syntax.js";

const CALLS = "[TOOL_CALLS]";
const ARGUMENTS = "[ARGS]";
const ID = "[CALL_ID]";
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Mistral's templates take no other ids than nine letters and digits. */
const nineCharacters = (): string =>
  Array.from({ length: 9 }, () => ALPHANUMERIC.charAt(randomInt(ALPHANUMERIC.length))).join("");

/**
 * Mistral: `[TOOL_CALLS][{"name": …, "arguments": {…}}, …]`, and from tokenizer v11 on `[TOOL_CALLS]NAME[ARGS]{…}`.
 * Source: mistral-common's tokenizers.
 */
export const mistral: ToolSyntax = { markers: [CALLS, ARGUMENTS, ID], read };

function* read(context: ToolContext): Step<void> {
  const { reader, out } = context;
  const opener = reader.markers([CALLS]);
  while ((yield* reader.until(opener, out.text)) !== undefined) {
    reader.record();
    reader.skip(CALLS);
    yield* reader.skipSpace();
    if (yield* reader.accept("[")) yield* readList(context);
    else yield* readOne(context, readNamed);
  }
}

/** The calls of a list, up to its end or to the first that is malformed. */
function* readList(context: ToolContext): Step<void> {
  const { reader, out } = context;
  for (;;) {
    if (!(yield* readOne(context, ({ reader: from }, call) => readJsonCall(from, call)))) return;
    reader.record();
    yield* reader.skipSpace();
    if (yield* reader.accept("]")) {
      reader.recorded();
      out.boundary();
      return;
    }
    if (!(yield* reader.accept(","))) {
      if (yield* reader.ready()) out.malformed(reader.recorded());
      return;
    }
  }
}

function* readOne(
  context: ToolContext,
  body: (context: ToolContext, call: PendingCall) => Step<boolean>,
): Step<boolean> {
  const call = newCall(context, nineCharacters);
  const isWhole = yield* body(context, call);
  yield* settle(context, call, isWhole, [CALLS]);
  return isWhole;
}

/** `NAME[ARGS]{…}`, with `[CALL_ID]…` between them in some versions. */
function* readNamed({ reader }: ToolContext, call: PendingCall): Step<boolean> {
  const header = yield* readUpTo(reader, [ARGUMENTS, ID, "{", CALLS]);
  const name = callName(header?.text ?? "");
  if (header === undefined || name === undefined) return false;
  let id: string | undefined;
  if (yield* reader.accept(ID)) {
    const text = yield* readUpTo(reader, [ARGUMENTS, "{", CALLS]);
    id = text && /^[0-9A-Za-z]{9}$/.test(text.text.trim()) ? text.text.trim() : undefined;
  }
  yield* reader.accept(ARGUMENTS);
  call.named(name, id);
  return yield* readArguments(reader, call);
}
