import { randomCallId } from "./message/pending-call.js";
import type { OutputReader, Step } from "./reader/reader.js";
import type { ReasoningCount } from "./tokens/reasoning-count.js";
import { readArguments } from "./tools/json-call.js";
import { callName } from "./tools/named-call.js";
import { newCall, settle, type ToolContext } from "./tools/tool-syntax.js";

const START = "<|start|>";
const CHANNEL = "<|channel|>";
const CONSTRAIN = "<|constrain|>";
const MESSAGE = "<|message|>";
const ENDS = ["<|end|>", "<|call|>", "<|return|>"];

export const HARMONY_MARKERS: readonly string[] = [START, CHANNEL, CONSTRAIN, MESSAGE, ...ENDS];

const OPENERS = [START, CHANNEL, MESSAGE];
const HEADER_TEXT = /^[\w.:=\- ]*/;
/** Longer than any header: what goes on so long without a message is text. */
const MAX_HEADER = 256;

export interface HarmonyOptions {
  /** Whether the analysis channel is reasoning; else it is text. */
  readonly reasoning: boolean;
  /** Whether messages to functions are calls; else they are text. */
  readonly calls: boolean;
  readonly promptEnd: string;
  readonly count: ReasoningCount;
}

/**
 * gpt-oss: messages with a channel each. The analysis channel is reasoning, a message to `functions.NAME` is a call,
 * all others are text. Source: OpenAI's harmony response format.
 */
export function* readHarmony(context: ToolContext, options: HarmonyOptions): Step<void> {
  const { reader } = context;
  const { count } = options;
  let before = headerOf(options.promptEnd);
  while (before !== "" || (yield* reader.ready())) {
    const start = reader.position;
    count.begin("undecided", start);
    reader.record();
    const header = before.includes(MESSAGE) ? before : yield* readHeader(reader, before);
    before = "";
    const kind = header === undefined ? undefined : kindOf(header, options);
    count.begin(kind === "reasoning" ? "reasoning" : "answer", start);
    if (kind !== undefined) yield* readMessage(context, kind);
    else yield* readStray(context);
  }
}

/** What the prompt has said already of the message that the output begins with. */
function headerOf(promptEnd: string): string {
  const start = promptEnd.lastIndexOf(START);
  return start < 0 ? "" : promptEnd.slice(start);
}

/** A header up to its `<|message|>`, which is taken; undefined where something else comes next. */
function* readHeader(reader: OutputReader, before: string): Step<string | undefined> {
  let header = before;
  while (header.length - before.length <= MAX_HEADER) {
    header += yield* reader.takeWhile(HEADER_TEXT, MAX_HEADER);
    const marker = yield* nextOf(reader, [...OPENERS, CONSTRAIN]);
    if (marker === undefined) return undefined;
    reader.skip(marker);
    header += marker;
    if (marker === MESSAGE) return header;
  }
  return undefined;
}

/** Text outside of messages. A header that the output was cut off in is none. */
function* readStray({ reader, out }: ToolContext): Step<void> {
  const written = reader.recorded();
  const isHeader = HARMONY_MARKERS.some((marker) => written.includes(marker));
  if (!isHeader || (yield* reader.ready())) out.text(written);
  yield* reader.until(reader.markers([...OPENERS, ...ENDS]), out.text);
  yield* acceptEnd(reader);
}

/** A call of a function, or what else a message is. */
type MessageKind = { readonly calls: string } | "reasoning" | "text";

function kindOf(header: string, { calls, reasoning }: HarmonyOptions): MessageKind {
  const [, channel] = /.*<\|channel\|>\s*(\w*)/s.exec(header) ?? [];
  const [, recipient = ""] = /\sto=(?:functions\.)?([^\s<]+)/.exec(header) ?? [];
  const name = calls && recipient !== "" ? callName(recipient) : undefined;
  if (name !== undefined) return { calls: name };
  return channel === "analysis" && reasoning ? "reasoning" : "text";
}

function* readMessage(context: ToolContext, kind: MessageKind): Step<void> {
  const { reader, out } = context;
  if (typeof kind === "object") {
    yield* readCall(context, kind.calls);
    return;
  }
  reader.recorded();
  out.newPart();
  yield* reader.until(reader.markers([...OPENERS, ...ENDS]), kind === "reasoning" ? out.reasoning : out.text);
  yield* acceptEnd(reader);
}

/** Recording is on. */
function* readCall(context: ToolContext, name: string): Step<void> {
  const { reader } = context;
  const call = newCall(context, randomCallId);
  call.named(name);
  const isWhole = (yield* readArguments(reader, call)) && (yield* endsWell(reader));
  yield* settle(context, call, isWhole, [...OPENERS, ...ENDS]);
  yield* acceptEnd(reader);
}

function* endsWell(reader: OutputReader): Step<boolean> {
  yield* reader.skipSpace();
  return !(yield* reader.ready()) || (yield* nextOf(reader, [...OPENERS, ...ENDS])) !== undefined;
}

function* acceptEnd(reader: OutputReader): Step<void> {
  for (const end of ENDS) if (yield* reader.accept(end)) return;
}

function* nextOf(reader: OutputReader, markers: readonly string[]): Step<string | undefined> {
  for (const marker of markers) if (yield* reader.at(marker)) return marker;
  return undefined;
}
