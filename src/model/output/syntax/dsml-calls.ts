import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { type CallStructure, describeArguments } from "../structure/call-structure.js";
import { type Format, oneOf, tag } from "../structure/format.js";
import type { Parameter } from "../structure/parameters.js";
import { ArgumentWriter } from "./argument-writer.js";
import { parseCallName, readUpTo } from "./call-header.js";
import type { CallContext, CallSyntax } from "./call-syntax.js";
import { framedCalls } from "./framed-calls.js";

/** A token of these models' vocabularies, which is a part of every tag. */
const DSML = "｜DSML｜";

const CALL = { begin: `<${DSML}invoke name="`, end: `</${DSML}invoke>` };
const PARAMETER = { begin: `<${DSML}parameter name="`, end: `</${DSML}parameter>` };
const KIND = '" string="';
const OPENED = '">';

/**
 * Returns the syntax of DeepSeek's markup language: `<｜DSML｜invoke name="NAME">` contains
 * `<｜DSML｜parameter name="KEY" string="true|false">`, whose value is a string or JSON.
 *
 * @param section name of the tag around the calls
 */
export function dsmlCalls(section: string): CallSyntax {
  const frame = {
    section: { begin: `<${DSML}${section}>`, end: `</${DSML}${section}>` },
    ...CALL,
    inner: [PARAMETER.begin, PARAMETER.end],
    body: readCall,
  };
  return { ...framedCalls(frame), markerParts: [DSML] };
}

function* readCall({ reader }: CallContext, call: PendingCall): Step<boolean> {
  const header = yield* readUpTo(reader, [OPENED, CALL.end]);
  const name = parseCallName(header?.text ?? "");
  if (header?.marker !== OPENED || name === undefined) return false;
  reader.skip(OPENED);
  call.setName(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.accept(PARAMETER.begin))) break;
    if (!(yield* readParameter(reader, writer))) return false;
  }
  writer.end();
  return yield* reader.at(CALL.end);
}

function* readParameter(reader: CallContext["reader"], writer: ArgumentWriter): Step<boolean> {
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

/**
 * Returns the structure of the same calls. If the schema allows both a string and JSON for a value, the model chooses.
 */
export function dsmlStructure(section: string): CallStructure {
  return {
    trigger: `<${DSML}${section}>`,
    section: { begin: `<${DSML}${section}>\n`, end: `\n</${DSML}${section}>` },
    list: { separator: "\n" },
    describeCall: (tool) =>
      tag(`${CALL.begin}${tool.function.name}">\n`, describeArguments(tool, describeParameter), CALL.end),
  };
}

function describeParameter({ key, text, json }: Parameter): Format {
  const open = (isText: boolean): string => `${PARAMETER.begin}${key}" string="${isText}">`;
  const close = `${PARAMETER.end}\n`;
  const kinds = [text && tag(open(true), text, close), json && tag(open(false), json, close)];
  return oneOf(kinds.filter((kind) => kind !== undefined));
}
