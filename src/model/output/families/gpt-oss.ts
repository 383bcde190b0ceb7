import type { Family } from "../family.js";
import { randomCallId } from "../message/pending-call.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { harmonyStructure } from "../structure/harmony-structure.js";
import { parseCallName } from "../syntax/call-header.js";
import { type CallContext, finishCall, newCall } from "../syntax/call-syntax.js";
import { readArguments } from "../syntax/json-call.js";
import type { OutputSyntaxOptions } from "../syntax/output-syntax.js";

const START = "<|start|>";
const CHANNEL = "<|channel|>";
const CONSTRAIN = "<|constrain|>";
const MESSAGE = "<|message|>";
const ASSISTANT = "assistant";
const ENDS = ["<|end|>", "<|call|>", "<|return|>"];

const MARKERS = [START, CHANNEL, CONSTRAIN, MESSAGE, ...ENDS];
const OPENERS = [START, CHANNEL, MESSAGE];
const HEADER_TEXT = /^[\w.:=\- ]*/;
/** Longer than any header. Longer text without a message is not a header. */
const MAX_HEADER = 256;

/**
 * gpt-oss writes messages, each with a channel. The analysis channel is reasoning, a message to `functions.NAME` is a
 * call, and all others are text. Source: OpenAI's harmony response format.
 */
export const gptOss = {
  name: "gpt_oss",
  output: { markers: MARKERS, read },
  structure: harmonyStructure,
  calls: {
    docs: { models: "gpt-oss", call: "a message to `functions.NAME`", arguments: "JSON" },
    detection: { template: [CHANNEL, MESSAGE], modelTypes: ["gpt_oss"] },
  },
  reasoning: { docs: "the analysis channel" },
} as const satisfies Family;

function* read(context: CallContext, options: OutputSyntaxOptions): Step<void> {
  const { reader } = context;
  const { count } = options;
  let before = findPromptHeader(options.promptEnd);
  while (before !== "" || (yield* reader.ready())) {
    const start = reader.position;
    count.begin("undecided", start);
    reader.startRecording();
    const header = before.includes(MESSAGE) ? before : yield* readHeader(reader, before);
    before = "";
    const kind = header === undefined ? undefined : classifyMessage(header, options);
    count.begin(kind === "reasoning" ? "reasoning" : "answer", start);
    if (kind !== undefined) yield* readMessage(context, kind);
    else yield* readStray(context);
  }
}

/** Finds the part of the first message's header that the prompt has written already. */
function findPromptHeader(promptEnd: string): string {
  const start = promptEnd.lastIndexOf(START);
  return start < 0 ? "" : promptEnd.slice(start);
}

/** Reads a header up to its `<|message|>`, which is taken. Undefined if something else comes next. */
function* readHeader(reader: OutputCursor, before: string): Step<string | undefined> {
  let header = before;
  while (header.length - before.length <= MAX_HEADER) {
    header += yield* reader.takeWhile(HEADER_TEXT, MAX_HEADER);
    const marker = yield* findNext(reader, [...OPENERS, CONSTRAIN]);
    if (marker === undefined) return undefined;
    reader.skip(marker);
    header += marker;
    if (marker === MESSAGE) return header;
  }
  return undefined;
}

/** Reads text outside of messages. A header in which the output was cut off is dropped. */
function* readStray({ reader, out }: CallContext): Step<void> {
  const written = reader.endRecording();
  const isHeader = MARKERS.some((marker) => written.includes(marker));
  if (!isHeader || (yield* reader.ready())) out.text(written);
  yield* reader.until(reader.markers([...OPENERS, ...ENDS]), out.text);
  yield* acceptEnd(reader);
}

/** The function that a message calls, or the kind of a message that is no call. */
type MessageKind = { readonly calls: string } | "reasoning" | "text";

function classifyMessage(header: string, { calls, reasoning }: OutputSyntaxOptions): MessageKind {
  const [, channel] = /.*<\|channel\|>\s*(\w*)/s.exec(header) ?? [];
  const [, author = ASSISTANT] = /^<\|start\|>([^\s<]+)/.exec(header) ?? [];
  const [, recipient = ""] = /\sto=([^\s<]+)/.exec(header) ?? [];
  // A message to the assistant is the result of a call, which the model has made up.
  const isCall = calls && author === ASSISTANT && recipient !== "" && recipient !== ASSISTANT;
  const name = isCall ? parseCallName(recipient.replace(/^functions\./, "")) : undefined;
  if (name !== undefined) return { calls: name };
  return channel === "analysis" && reasoning ? "reasoning" : "text";
}

function* readMessage(context: CallContext, kind: MessageKind): Step<void> {
  const { reader, out } = context;
  if (typeof kind === "object") {
    yield* readCall(context, kind.calls);
    return;
  }
  reader.endRecording();
  out.beginPart();
  yield* reader.until(reader.markers([...OPENERS, ...ENDS]), kind === "reasoning" ? out.reasoning : out.text);
  yield* acceptEnd(reader);
}

/** Reads the arguments of a call. Recording is on. */
function* readCall(context: CallContext, name: string): Step<void> {
  const { reader } = context;
  const call = newCall(context, randomCallId);
  call.setName(name);
  const isWhole = (yield* readArguments(context, call, ENDS)) && (yield* isAtEnd(reader));
  yield* finishCall(context, call, isWhole, [...OPENERS, ...ENDS]);
  yield* acceptEnd(reader);
}

function* isAtEnd(reader: OutputCursor): Step<boolean> {
  yield* reader.skipSpace();
  return !(yield* reader.ready()) || (yield* findNext(reader, [...OPENERS, ...ENDS])) !== undefined;
}

function* acceptEnd(reader: OutputCursor): Step<void> {
  for (const end of ENDS) if (yield* reader.accept(end)) return;
}

function* findNext(reader: OutputCursor, markers: readonly string[]): Step<string | undefined> {
  for (const marker of markers) if (yield* reader.at(marker)) return marker;
  return undefined;
}
