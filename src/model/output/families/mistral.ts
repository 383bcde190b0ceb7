import { randomInt } from "node:crypto";
import type { Family } from "../family.js";
import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { type CallStructure, describeJsonCall } from "../structure/call-structure.js";
import { parseCallName, readUpTo } from "../syntax/call-header.js";
import { type CallContext, finishCall, newCall } from "../syntax/call-syntax.js";
import { readArguments, readJsonCall } from "../syntax/json-call.js";

const CALLS = "[TOOL_CALLS]";
const ARGUMENTS = "[ARGS]";
const ID = "[CALL_ID]";
const THINK = { begin: "[THINK]", end: "[/THINK]" };
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Before tokenizer v11: a list. */
const LIST: CallStructure = {
  trigger: CALLS,
  section: { begin: `${CALLS}[`, end: "]" },
  list: { separator: ", " },
  describeCall: describeJsonCall((name) => `{"name": "${name}", "arguments": `, "}"),
};

/** From tokenizer v11 on. */
const NAMED: CallStructure = {
  trigger: CALLS,
  list: { opener: CALLS },
  describeCall: describeJsonCall((name) => `${CALLS}${name}${ARGUMENTS}`, ""),
};

/** Mistral: a list of calls, from tokenizer v11 on single calls. Source: mistral-common's tokenizers. */
export const mistral = {
  name: "mistral",
  calls: {
    docs: { models: "Mistral", call: "`[TOOL_CALLS][{…}]` and `[TOOL_CALLS]NAME[ARGS]{…}`", arguments: "JSON" },
    detection: { template: [CALLS] },
    syntax: { markers: [CALLS, ARGUMENTS, ID], read },
    structure: (has) => (has(ARGUMENTS) ? NAMED : LIST),
  },
  reasoning: { docs: "`[THINK]` and `[/THINK]`", detection: { markers: [THINK.begin] }, block: THINK },
} as const satisfies Family;

function* read(context: CallContext): Step<void> {
  const { reader, out } = context;
  const opener = reader.markers([CALLS]);
  while ((yield* reader.until(opener, out.text)) !== undefined) {
    reader.startRecording();
    reader.skip(CALLS);
    yield* reader.skipSpace();
    if (yield* reader.accept("[")) yield* readList(context);
    else yield* readOne(context, readNamed);
  }
}

/** Reads the calls of a list up to its end or to the first malformed one. */
function* readList(context: CallContext): Step<void> {
  const { reader, out } = context;
  for (;;) {
    if (!(yield* readOne(context, readJsonCall))) return;
    reader.startRecording();
    yield* reader.skipSpace();
    if (yield* reader.accept("]")) {
      reader.endRecording();
      out.markBoundary();
      return;
    }
    if (!(yield* reader.accept(","))) {
      if (yield* reader.ready()) out.writeMalformed(reader.endRecording());
      return;
    }
  }
}

function* readOne(
  context: CallContext,
  body: (context: CallContext, call: PendingCall) => Step<boolean>,
): Step<boolean> {
  const call = newCall(context, newId);
  const isWhole = yield* body(context, call);
  yield* finishCall(context, call, isWhole, [CALLS]);
  return isWhole;
}

/** Reads `NAME[ARGS]{…}`; some versions have `[CALL_ID]…` between name and arguments. */
function* readNamed(context: CallContext, call: PendingCall): Step<boolean> {
  const { reader } = context;
  const header = yield* readUpTo(reader, [ARGUMENTS, ID, "{", CALLS]);
  const name = parseCallName(header?.text ?? "");
  if (header === undefined || name === undefined) return false;
  let id: string | undefined;
  if (yield* reader.accept(ID)) {
    const text = yield* readUpTo(reader, [ARGUMENTS, "{", CALLS]);
    id = text && /^[0-9A-Za-z]{9}$/.test(text.text.trim()) ? text.text.trim() : undefined;
  }
  if (!(yield* reader.accept(ARGUMENTS)) && (yield* reader.peek()) !== "{") return false;
  call.setName(name, id);
  return yield* readArguments(context, call, [CALLS]);
}

/** Mistral's templates accept no other ids than nine letters and digits. */
const newId = (): string =>
  Array.from({ length: 9 }, () => ALPHANUMERIC.charAt(randomInt(ALPHANUMERIC.length))).join("");
