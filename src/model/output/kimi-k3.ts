import { type PendingCall, randomCallId } from "./message/pending-call.js";
import { JsonScanner } from "./reader/json-scanner.js";
import type { OutputReader, Step } from "./reader/reader.js";
import type { ReasoningCount } from "./tokens/reasoning-count.js";
import { ArgumentWriter } from "./tools/argument-writer.js";
import { readArguments } from "./tools/json-call.js";
import { callName } from "./tools/named-call.js";
import { newCall, type ToolContext } from "./tools/tool-syntax.js";

const OPEN = "<|open|>";
const CLOSE = "<|close|>";
const SEPARATOR = "<|sep|>";

export const KIMI_K3_MARKERS: readonly string[] = [OPEN, CLOSE, SEPARATOR];

const HEADER = /^[^<]*/;
const MAX_HEADER = 1024;

export interface KimiK3Options {
  /** Whether `think` is reasoning; else it is text. */
  readonly reasoning: boolean;
  /** Whether `tools` holds calls; else they are text. */
  readonly calls: boolean;
  readonly promptEnd: string;
  readonly count: ReasoningCount;
}

/** A tag's name and attributes. */
interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Kimi K3: an answer of elements `<|open|>NAME ATTRIBUTES<|sep|>…<|close|>NAME<|sep|>`: `think`, `response`, and `tools` with
 * a `call` for each call and an `argument` for each argument, which says its type. Source: the model's chat template.
 */
export function* readKimiK3(context: ToolContext, options: KimiK3Options): Step<void> {
  const { reader, out } = context;
  const opened = openAt(options.promptEnd);
  if (opened !== undefined) yield* readElement(context, opened, options, 0);
  else options.count.begin("answer", 0);
  for (;;) {
    const marker = yield* reader.until(reader.markers([OPEN, CLOSE]), out.text);
    if (marker === undefined) return;
    const start = reader.position;
    options.count.begin("undecided", start);
    reader.record();
    const tag = marker === OPEN ? yield* readTag(reader) : undefined;
    if (marker === CLOSE) yield* readClose(reader);
    if (tag !== undefined) yield* readElement(context, tag, options, start);
    else yield* readStray(context, marker === OPEN);
    options.count.begin("answer", reader.position);
  }
}

/** A tag that is none is text, unless the output was cut off in it; the end of an element that is over is nothing. */
function* readStray({ reader, out }: ToolContext, isText: boolean): Step<void> {
  const written = reader.recorded();
  if (isText && (yield* reader.ready())) out.text(written);
  else out.boundary();
}

/** The element that the prompt has opened last. */
function openAt(promptEnd: string): Tag | undefined {
  const opened = promptEnd.slice(promptEnd.lastIndexOf(OPEN) + OPEN.length);
  return promptEnd.endsWith(SEPARATOR) ? toTag(opened.slice(0, -SEPARATOR.length)) : undefined;
}

/** The tag is taken; recording may be on. */
function* readElement(context: ToolContext, tag: Tag, options: KimiK3Options, start: number): Step<void> {
  const { reader, out } = context;
  const isReasoning = tag.name === "think" && options.reasoning;
  options.count.begin(isReasoning ? "reasoning" : "answer", start);
  const written = reader.recorded();
  out.newPart();
  if (tag.name === "tools" && options.calls) yield* readCalls(context);
  else if (tag.name === "think" || tag.name === "response") {
    yield* reader.until(reader.markers([CLOSE]), isReasoning ? out.reasoning : out.text);
    yield* readClose(reader);
  } else if (tag.name !== "message") out.text(written);
}

/** The calls of a section, up to its end. What is no call there is text. */
function* readCalls(context: ToolContext): Step<void> {
  const { reader, out } = context;
  for (;;) {
    const marker = yield* reader.until(reader.markers([OPEN, CLOSE]), out.text);
    if (marker === undefined) return;
    reader.record();
    const call = newCall(context, randomCallId);
    if (marker === OPEN && (yield* readCall(reader, call))) {
      reader.recorded();
      call.close();
      continue;
    }
    const isEnd = marker === OPEN ? yield* skipCall(reader) : (yield* readClose(reader)) === "tools";
    const written = reader.recorded();
    out.boundary();
    if (marker === OPEN || !isEnd) out.malformed(written);
    if (isEnd) return;
  }
}

/** The rest of a malformed call; whether the section ends with it. */
function* skipCall(reader: OutputReader): Step<boolean> {
  while ((yield* reader.until(reader.markers([CLOSE]), () => {})) !== undefined) {
    const name = yield* readClose(reader);
    if (name === "call" || name === "tools") return name === "tools";
  }
  return true;
}

function* readCall(reader: OutputReader, call: PendingCall): Step<boolean> {
  const tag = yield* readTag(reader);
  const name = callName(tag?.attributes.get("tool") ?? "");
  if (tag?.name !== "call" || name === undefined) return false;
  call.named(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.at(OPEN))) break;
    if (!(yield* readArgument(reader, call, writer))) return false;
  }
  writer.end();
  return (yield* readClose(reader)) === "call";
}

/** One argument, or all of them as one `json` element. */
function* readArgument(reader: OutputReader, call: PendingCall, writer: ArgumentWriter): Step<boolean> {
  const tag = yield* readTag(reader);
  if (tag?.name === "json") return (yield* readArguments(reader, call)) && (yield* readClose(reader)) === "json";
  const key = tag?.attributes.get("key");
  if (tag?.name !== "argument" || key === undefined) return false;
  let value = "";
  yield* reader.until(reader.markers(KIMI_K3_MARKERS), (text) => {
    value += text;
  });
  const json = tag.attributes.get("type") === "string" ? JSON.stringify(value) : jsonIn(value);
  if (json === undefined) return false;
  writer.add(key, json);
  return (yield* readClose(reader)) === "argument";
}

/** The JSON value that a text is; undefined where it is none. */
function jsonIn(text: string): string | undefined {
  const trimmed = text.trim();
  const scanner = new JsonScanner();
  const end = scanner.scan(trimmed);
  scanner.finish();
  return scanner.state === "done" && end === trimmed.length ? trimmed : undefined;
}

/** Takes `<|open|>…<|sep|>`, or as much of it as there is. */
function* readTag(reader: OutputReader): Step<Tag | undefined> {
  if (!(yield* reader.accept(OPEN))) return undefined;
  const header = yield* reader.takeWhile(HEADER, MAX_HEADER);
  return (yield* reader.accept(SEPARATOR)) ? toTag(header) : undefined;
}

/** Takes `<|close|>NAME<|sep|>`, or as much of it as there is; undefined where something else comes next. */
function* readClose(reader: OutputReader): Step<string | undefined> {
  yield* reader.skipSpace();
  if (!(yield* reader.accept(CLOSE))) return undefined;
  const name = yield* reader.takeWhile(HEADER, MAX_HEADER);
  yield* reader.accept(SEPARATOR);
  return name.trim();
}

function toTag(header: string): Tag | undefined {
  const [, name] = /^([a-z-]+)(?:\s|$)/.exec(header) ?? [];
  if (name === undefined) return undefined;
  const attributes = new Map<string, string>();
  for (const [, key = "", value = ""] of header.matchAll(/\s([a-z]+)="([^"]*)"/g))
    attributes.set(key, unescaped(value));
  return { name, attributes };
}

const unescaped = (value: string): string => value.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
