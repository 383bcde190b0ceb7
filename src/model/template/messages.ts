import type { Message, ToolCall } from "../../conversation/message.js";
import { JsonDepthError, JsonError } from "../../support/json/parse-json.js";
import { isDict, type Key, NONE, RenderError, type Value } from "../jinja/index.js";
import { fromJson } from "./from-json.js";

/** In what shape a template expects what every protocol has, found out when it is loaded. */
export interface Dialect {
  /** Arguments of tool calls as a mapping, which is Hugging Face's convention, or as JSON text. */
  readonly callArguments: "mapping" | "text";
  /** The content of a message that has tool calls only. */
  readonly emptyContent: "text" | "none";
  /** The absence of tools. */
  readonly noTools: "none" | "list";
  /** Knows the role `developer`; others are given `system` for it. */
  readonly hasDeveloper: boolean;
  /** The field that a message's reasoning is in. */
  readonly reasoningField: string;
}

/** Bytes, roughly, that a message's value takes beside its texts, and that each character of a call's arguments does. */
const VALUE_BYTES = 350;
const ARGUMENT_BYTES = 8;

/** What the values of one generation may take. */
const GENERATION_BYTES = 16 << 20;

/**
 * Messages as templates know them: `{role, content, name?, reasoning_content?, tool_calls?, tool_call_id?}`. Templates
 * cannot change values, so that a message that comes again has the one that it had.
 *
 * Sessions keep their messages for as long as they last, and would keep the values with them: those that were not
 * asked for in two generations are forgotten.
 */
export class MessageValues {
  readonly dialect: Dialect;
  #young = new WeakMap<Message, Value>();
  #old = new WeakMap<Message, Value>();
  #youngBytes = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  list(messages: readonly Message[]): readonly Value[] {
    return messages.map((message) => this.#of(message));
  }

  #of(message: Message): Value {
    const young = this.#young.get(message);
    if (young) return young;
    const value = this.#old.get(message) ?? messageValue(message, this.dialect);
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
    this.#youngBytes += valueBytes(message);
  }
}

function valueBytes({ toolCalls = [] }: Message): number {
  return toolCalls.reduce((bytes, call) => bytes + ARGUMENT_BYTES * call.arguments.length, VALUE_BYTES);
}

function messageValue(message: Message, dialect: Dialect): Value {
  const { content, name, reasoning, toolCalls = [], toolCallId } = message;
  const entries = new Map<Key, Value>();
  entries.set("role", message.role === "developer" && !dialect.hasDeveloper ? "system" : message.role);
  const isNone = content === "" && toolCalls.length > 0 && dialect.emptyContent === "none";
  entries.set("content", isNone ? NONE : content);
  if (name !== undefined) entries.set("name", name);
  if (reasoning !== undefined) entries.set(dialect.reasoningField, reasoning);
  if (toolCalls.length > 0)
    entries.set(
      "tool_calls",
      toolCalls.map((call) => callValue(call, dialect)),
    );
  if (toolCallId !== undefined) entries.set("tool_call_id", toolCallId);
  return entries;
}

function callValue(call: ToolCall, dialect: Dialect): Value {
  const asText = dialect.callArguments === "text";
  const called = new Map<Key, Value>([
    ["name", call.name],
    ["arguments", asText ? call.arguments : argumentsValue(call.arguments)],
  ]);
  return new Map<Key, Value>([
    ["id", call.id],
    ["type", "function"],
    ["function", called],
  ]);
}

/** The mapping that the text spells, in the order and spelling of numbers of the text; other text stays text. */
function argumentsValue(text: string): Value {
  if (text.trim() === "") return new Map();
  try {
    const value = fromJson(text);
    return isDict(value) ? value : text;
  } catch (error) {
    if (error instanceof JsonDepthError) throw new RenderError(`arguments of a tool call: ${error.message}`);
    if (error instanceof JsonError) return text;
    throw error;
  }
}
