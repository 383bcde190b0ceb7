import type { PendingCall } from "../message/pending-call.js";
import { isJson } from "../reader/json-scanner.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { type CallStructure, describeArguments } from "../structure/call-structure.js";
import { type Format, oneOf, tag } from "../structure/format.js";
import type { Parameter } from "../structure/parameters.js";
import { parameterNames } from "../tool-schema.js";
import { ArgumentWriter } from "./argument-writer.js";
import { parseCallName, readUpTo } from "./call-header.js";
import type { CallContext, CallSyntax } from "./call-syntax.js";
import { framedCalls } from "./framed-calls.js";
import { readArguments } from "./json-call.js";

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

function* readCall(context: CallContext, call: PendingCall): Step<boolean> {
  const { reader, tools } = context;
  const header = yield* readUpTo(reader, [OPENED, CALL.end]);
  const name = parseCallName(header?.text ?? "");
  if (header?.marker !== OPENED || name === undefined) return false;
  reader.skip(OPENED);
  call.setName(name);
  yield* reader.skipSpace();
  if ((yield* reader.peek()) === "{") return (yield* readArguments(context, call, [])) && (yield* isAtEnd(reader));
  const written: Written[] = [];
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.accept(PARAMETER.begin))) break;
    const parameter = yield* readParameter(reader);
    if (parameter === undefined) return false;
    written.push(parameter);
  }
  writeArguments(call, written, parameterNames(tools.get(name)));
  return yield* reader.at(CALL.end);
}

function* isAtEnd(reader: OutputCursor): Step<boolean> {
  yield* reader.skipSpace();
  return yield* reader.at(CALL.end);
}

/** A parameter as the model wrote it. */
interface Written {
  readonly key: string;
  readonly value: string;
  readonly isText: boolean;
}

function* readParameter(reader: OutputCursor): Step<Written | undefined> {
  const key = yield* readUpTo(reader, [KIND, PARAMETER.end]);
  if (key?.marker !== KIND) return undefined;
  reader.skip(KIND);
  const kind = yield* readUpTo(reader, [OPENED, PARAMETER.end]);
  if (kind?.marker !== OPENED || (kind.text !== "true" && kind.text !== "false")) return undefined;
  reader.skip(OPENED);
  const value = yield* readUpTo(reader, [PARAMETER.end]);
  if (value === undefined) return undefined;
  reader.skip(PARAMETER.end);
  return { key: key.text, value: value.text, isText: kind.text === "true" };
}

/** @param names the tool's parameters; undefined if its schema lists none */
function writeArguments(call: PendingCall, written: readonly Written[], names: readonly string[] | undefined): void {
  const whole = findWholeArguments(written, names);
  if (whole !== undefined) {
    call.arguments(whole);
    return;
  }
  const writer = new ArgumentWriter(call);
  for (const { key, value, isText } of written) {
    if (isText) writer.add(key, JSON.stringify(value));
    else writer.addText(key, value, undefined, { untyped: "json", nullForStrings: false });
  }
  writer.end();
}

/**
 * Models sometimes write all arguments as one parameter `arguments`. Returns that object if the tool has its keys, and no
 * parameter of this name.
 */
function findWholeArguments(
  [only, ...more]: readonly Written[],
  names: readonly string[] | undefined,
): string | undefined {
  if (only?.key !== "arguments" || more.length > 0 || names === undefined || names.includes(only.key)) return undefined;
  const json = only.value.trim();
  if (!json.startsWith("{") || !isJson(json)) return undefined;
  return Object.keys(JSON.parse(json) as object).every((key) => names.includes(key)) ? json : undefined;
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
