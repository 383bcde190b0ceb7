import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { ArgumentWriter } from "./argument-writer.js";
import { framedCalls } from "./framed-calls.js";
import { callName, readUpTo } from "./named-call.js";
import type { ToolContext, ToolSyntax } from "./tool-syntax.js";

/** A token of these models' vocabularies, which is a part of every tag. */
const DSML = "｜DSML｜";

const CALL = { begin: `<${DSML}invoke name="`, end: `</${DSML}invoke>` };
const PARAMETER = { begin: `<${DSML}parameter name="`, end: `</${DSML}parameter>` };
const KIND = '" string="';
const OPENED = '">';

/**
 * DeepSeek V3.2 and V4: `<｜DSML｜invoke name="NAME">` with `<｜DSML｜parameter name="KEY" string="true|false">` in it, whose
 * value is a string, or JSON. They differ in the tag around the calls. Source: the models' chat templates.
 */
export function dsmlCalls(section: string): ToolSyntax {
  const frame = {
    section: { begin: `<${DSML}${section}>`, end: `</${DSML}${section}>` },
    ...CALL,
    inner: [PARAMETER.begin, PARAMETER.end],
    body: readCall,
  };
  return { ...framedCalls(frame), spelled: [DSML] };
}

function* readCall({ reader }: ToolContext, call: PendingCall): Step<boolean> {
  const header = yield* readUpTo(reader, [OPENED, CALL.end]);
  const name = callName(header?.text ?? "");
  if (header?.marker !== OPENED || name === undefined) return false;
  reader.skip(OPENED);
  call.named(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.accept(PARAMETER.begin))) break;
    if (!(yield* readParameter(reader, writer))) return false;
  }
  writer.end();
  return yield* reader.at(CALL.end);
}

function* readParameter(reader: ToolContext["reader"], writer: ArgumentWriter): Step<boolean> {
  const key = yield* readUpTo(reader, [KIND, PARAMETER.end]);
  if (key?.marker !== KIND) return false;
  reader.skip(KIND);
  const kind = yield* readUpTo(reader, [OPENED, PARAMETER.end]);
  if (kind?.marker !== OPENED || (kind.text !== "true" && kind.text !== "false")) return false;
  reader.skip(OPENED);
  const value = yield* readUpTo(reader, [PARAMETER.end]);
  if (value === undefined) return false;
  reader.skip(PARAMETER.end);
  if (kind.text === "true") writer.add(key.text, JSON.stringify(value.text));
  else writer.addText(key.text, value.text, undefined, { untyped: "json", nullForStrings: false });
  return true;
}
