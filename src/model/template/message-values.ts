import type { MessageContent, MessagePart } from "../../conversation/content.js";
import type { Message, ToolCall } from "../../conversation/message.js";
import { countParts } from "../../conversation/size.js";
import type { Steps } from "../../support/async/steps.js";
import { JsonDepthError, JsonError } from "../../support/json/parse-json.js";
import { isDict, type Key, NONE, RenderError, type Value } from "../jinja/index.js";
import { type CallStyle, placeCalls } from "./call-messages.js";
import { fromJson } from "./from-json.js";
import { placeSystemMessages, type SystemRules } from "./system-messages.js";

/** The shape of messages that a template expects. It is detected when the template is loaded. */
export interface Dialect {
  /** Arguments of tool calls: a mapping, which is Hugging Face's convention, or JSON text. */
  readonly callArguments: "mapping" | "text";
  /** Content of a message with tool calls and no text: the empty text, or None. */
  readonly emptyContent: "text" | "none";
  /** Value of the variable `tools` if there are no tools: None, or an empty list. */
  readonly noTools: "none" | "list";
  /** The template knows the role `developer`; otherwise `developer` is replaced by `system`. */
  readonly hasDeveloper: boolean;
  /** Name of the field for a message's reasoning. */
  readonly reasoningField: string;
  readonly systemRules: SystemRules;
  readonly callStyle: CallStyle;
}

/** Approximate bytes of the value of a message or a part without its texts, and of each character of a call's arguments. */
const VALUE_BYTES = 350;
const ARGUMENT_BYTES = 8;

/** Size in bytes at which a new generation begins. */
const GENERATION_BYTES = 16 << 20;

/**
 * Converts messages to the mappings that templates expect: `{role, content, name?, reasoning_content?, tool_calls?,
 * tool_call_id?}`. Values are cached by message and shared, because templates cannot change them.
 *
 * A session keeps its messages as long as it lives, so a single WeakMap would keep all their values too. There are two
 * generations instead; values that were not used during two generations are dropped.
 */
export class MessageValues {
  readonly dialect: Dialect;
  #young = new WeakMap<Message, Value>();
  #old = new WeakMap<Message, Value>();
  #youngBytes = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  *list(messages: readonly Message[]): Steps<readonly Value[]> {
    const { systemRules, callStyle } = this.dialect;
    const values: Value[] = [];
    for (const message of placeCalls(placeSystemMessages(messages, systemRules), callStyle))
      values.push(this.#young.get(message) ?? (yield* this.#convert(message)));
    return values;
  }

  *#convert(message: Message): Steps<Value> {
    const value = this.#old.get(message) ?? (yield* toMessageValue(message, this.dialect));
    this.#keep(message, value);
    return value;
  }

  #keep(message: Message, value: Value): void {
    if (this.#youngBytes >= GENERATION_BYTES) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#youngBytes = 0;
    }
    this.#young.set(message, value);
    this.#youngBytes += estimateBytes(message);
  }
}

function estimateBytes({ content, toolCalls = [] }: Message): number {
  const own = VALUE_BYTES * (1 + countParts(content));
  return toolCalls.reduce((bytes, call) => bytes + ARGUMENT_BYTES * call.arguments.length, own);
}

function* toMessageValue(message: Message, dialect: Dialect): Steps<Value> {
  const { content, name, reasoning, toolCalls = [], toolCallId } = message;
  const entries = new Map<Key, Value>();
  entries.set("role", message.role === "developer" && !dialect.hasDeveloper ? "system" : message.role);
  const isNone = content === "" && toolCalls.length > 0 && dialect.emptyContent === "none";
  entries.set("content", isNone ? NONE : toContentValue(content));
  if (name !== undefined) entries.set("name", name);
  if (reasoning !== undefined) entries.set(dialect.reasoningField, reasoning);
  if (toolCalls.length > 0) {
    const calls: Value[] = [];
    for (const call of toolCalls) calls.push(yield* toCallValue(call, dialect));
    entries.set("tool_calls", calls);
  }
  if (toolCallId !== undefined) entries.set("tool_call_id", toolCallId);
  return entries;
}

/** Templates of models that see images expect the parts as `{type: "text", text}` and `{type: "image"}`. */
function toContentValue(content: MessageContent): Value {
  return typeof content === "string" ? content : content.map(toPartValue);
}

function toPartValue(part: MessagePart): Value {
  const entries = new Map<Key, Value>([["type", part.type]]);
  if (part.type === "text") entries.set("text", part.text);
  return entries;
}

function* toCallValue(call: ToolCall, dialect: Dialect): Steps<Value> {
  const asText = dialect.callArguments === "text";
  const called = new Map<Key, Value>([
    ["name", call.name],
    ["arguments", asText ? call.arguments : yield* toArgumentsValue(call.arguments)],
  ]);
  return new Map<Key, Value>([
    ["id", call.id],
    ["type", "function"],
    ["function", called],
  ]);
}

/** Parses arguments to a mapping that keeps key order and number spelling. Text that is not a JSON object stays text. */
function* toArgumentsValue(text: string): Steps<Value> {
  if (text.trim() === "") return new Map();
  try {
    const value = yield* fromJson(text);
    return isDict(value) ? value : text;
  } catch (error) {
    if (error instanceof JsonDepthError) throw new RenderError(`tool call arguments: ${error.message}`);
    if (error instanceof JsonError) return text;
    throw error;
  }
}
