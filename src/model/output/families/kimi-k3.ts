import type { Family } from "../family.js";
import { type PendingCall, randomCallId } from "../message/pending-call.js";
import { isJson } from "../reader/json-scanner.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { kimiElements } from "../structure/kimi-elements.js";
import { ArgumentWriter } from "../syntax/argument-writer.js";
import { parseCallName } from "../syntax/call-header.js";
import { type CallContext, newCall } from "../syntax/call-syntax.js";
import { readArguments } from "../syntax/json-call.js";
import type { OutputSyntaxOptions } from "../syntax/output-syntax.js";

const OPEN = "<|open|>";
const CLOSE = "<|close|>";
const SEPARATOR = "<|sep|>";

const MARKERS = [OPEN, CLOSE, SEPARATOR];

const HEADER = /^[^<]*/;
const MAX_HEADER = 1024;

/** A tag's name and attributes. */
interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Kimi K3: an answer consists of elements `<|open|>NAME ATTRIBUTES<|sep|>…<|close|>NAME<|sep|>`: `think`, `response`,
 * and `tools` with a `call` for each call and an `argument` for each argument, which says its type. Source: the model's
 * chat template.
 */
export const kimiK3 = {
  name: "kimi_k3",
  output: { markers: MARKERS, read },
  structure: kimiElements,
  calls: {
    docs: {
      models: "Kimi K3",
      call: '`<|open|>call tool="NAME" index="1"<|sep|>` with an `argument` element for each argument',
      arguments: "marked text",
    },
    detection: { template: MARKERS },
  },
  reasoning: { docs: "the `think` element" },
} as const satisfies Family;

function* read(context: CallContext, options: OutputSyntaxOptions): Step<void> {
  const { reader, out } = context;
  const opened = findOpenElement(options.promptEnd);
  if (opened !== undefined) yield* readElement(context, opened, options, 0);
  else options.count.begin("answer", 0);
  for (;;) {
    const marker = yield* reader.until(reader.markers([OPEN, CLOSE]), out.text);
    if (marker === undefined) return;
    const start = reader.position;
    options.count.begin("undecided", start);
    reader.startRecording();
    const tag = marker === OPEN ? yield* readTag(reader) : undefined;
    if (marker === CLOSE) yield* readClose(reader);
    if (tag !== undefined) yield* readElement(context, tag, options, start);
    else yield* readStray(context, marker === OPEN);
    options.count.begin("answer", reader.position);
  }
}

/** Writes a malformed tag as text, unless the output was cut off in it. A closing tag out of place is dropped. */
function* readStray({ reader, out }: CallContext, isText: boolean): Step<void> {
  const written = reader.endRecording();
  if (isText && (yield* reader.ready())) out.text(written);
  else out.markBoundary();
}

/** Finds the element that the prompt opened last and did not close. */
function findOpenElement(promptEnd: string): Tag | undefined {
  const opened = promptEnd.slice(promptEnd.lastIndexOf(OPEN) + OPEN.length);
  return promptEnd.endsWith(SEPARATOR) ? parseTag(opened.slice(0, -SEPARATOR.length)) : undefined;
}

/** Reads an element whose opening tag is taken. Recording may be on. */
function* readElement(context: CallContext, tag: Tag, options: OutputSyntaxOptions, start: number): Step<void> {
  const { reader, out } = context;
  const isReasoning = tag.name === "think" && options.reasoning;
  options.count.begin(isReasoning ? "reasoning" : "answer", start);
  const written = reader.endRecording();
  out.beginPart();
  if (tag.name === "tools" && options.calls) yield* readCalls(context);
  else if (tag.name === "think" || tag.name === "response") {
    yield* reader.until(reader.markers([CLOSE]), isReasoning ? out.reasoning : out.text);
    yield* readClose(reader);
  } else if (tag.name !== "message") out.text(written);
}

/** Reads the calls of a section up to its end. Anything else in the section becomes text. */
function* readCalls(context: CallContext): Step<void> {
  const { reader, out } = context;
  for (;;) {
    const marker = yield* reader.until(reader.markers([OPEN, CLOSE]), out.text);
    if (marker === undefined) return;
    reader.startRecording();
    const call = newCall(context, randomCallId);
    if (marker === OPEN && (yield* readCall(context, call))) {
      reader.endRecording();
      call.close();
      continue;
    }
    const isEnd = marker === OPEN ? yield* skipCall(reader) : (yield* readClose(reader)) === "tools";
    const written = reader.endRecording();
    out.markBoundary();
    if (marker === OPEN || !isEnd) out.writeMalformed(written);
    if (isEnd) return;
  }
}

/** Skips the rest of a malformed call. Returns true if the section ends with it. */
function* skipCall(reader: OutputCursor): Step<boolean> {
  while ((yield* reader.until(reader.markers([CLOSE]), () => {})) !== undefined) {
    const name = yield* readClose(reader);
    if (name === "call" || name === "tools") return name === "tools";
  }
  return true;
}

function* readCall(context: CallContext, call: PendingCall): Step<boolean> {
  const { reader } = context;
  const tag = yield* readTag(reader);
  const name = parseCallName(tag?.attributes.get("tool") ?? "");
  if (tag?.name !== "call" || name === undefined) return false;
  call.setName(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.at(OPEN))) break;
    if (!(yield* readArgument(context, call, writer))) return false;
  }
  writer.end();
  return (yield* readClose(reader)) === "call";
}

/** Reads one argument, or all arguments as one `json` element. */
function* readArgument(context: CallContext, call: PendingCall, writer: ArgumentWriter): Step<boolean> {
  const { reader } = context;
  const tag = yield* readTag(reader);
  if (tag?.name === "json" && !call.hasArguments) {
    return (yield* readArguments(context, call, [CLOSE])) && (yield* readClose(reader)) === "json";
  }
  const key = tag?.attributes.get("key");
  const isAfterJson = call.hasArguments && writer.isEmpty;
  if (tag?.name !== "argument" || key === undefined || isAfterJson) return false;
  let value = "";
  yield* reader.until(reader.markers(MARKERS), (text) => {
    value += text;
  });
  const json = tag.attributes.get("type") === "string" ? JSON.stringify(value) : parseJson(value);
  if (json === undefined) return false;
  writer.add(key, json);
  return (yield* readClose(reader)) === "argument";
}

/** Returns the JSON value that a text spells, without the white space around it; undefined if it spells none. */
function parseJson(text: string): string | undefined {
  const trimmed = text.trim();
  return isJson(trimmed) ? trimmed : undefined;
}

/** Takes `<|open|>…<|sep|>`, or as much of it as the output has. */
function* readTag(reader: OutputCursor): Step<Tag | undefined> {
  if (!(yield* reader.accept(OPEN))) return undefined;
  const header = yield* reader.takeWhile(HEADER, MAX_HEADER);
  return (yield* reader.accept(SEPARATOR)) ? parseTag(header) : undefined;
}

/** Takes `<|close|>NAME<|sep|>`, or as much of it as the output has. Undefined if something else comes next. */
function* readClose(reader: OutputCursor): Step<string | undefined> {
  yield* reader.skipSpace();
  if (!(yield* reader.accept(CLOSE))) return undefined;
  const name = yield* reader.takeWhile(HEADER, MAX_HEADER);
  yield* reader.accept(SEPARATOR);
  return name.trim();
}

function parseTag(header: string): Tag | undefined {
  const [, name] = /^([a-z-]+)(?:\s|$)/.exec(header) ?? [];
  if (name === undefined) return undefined;
  const attributes = new Map<string, string>();
  for (const [, key = "", value = ""] of header.matchAll(/\s([a-z]+)="([^"]*)"/g)) attributes.set(key, unescape(value));
  return { name, attributes };
}

const unescape = (value: string): string => value.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
