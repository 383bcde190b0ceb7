import { z } from "zod";
import type { Message, ToolCall } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { noEffect, toolName, typeOf, wellFormed } from "../fields.js";

/** Items of a response's input, read into {@link Message}s. */

const refused =
  (what: string, served: string) =>
  (issue: { readonly input?: unknown }): string =>
    `only ${served} ${what} are supported, got one of type "${(typeOf(issue.input) ?? "").slice(0, 40)}"`;

const textPart = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("input_text"), text: wellFormed }),
    z.object({ type: z.literal("output_text"), text: wellFormed }),
    z.object({ type: z.literal("text"), text: wellFormed }),
    z.object({ type: z.literal("refusal"), refusal: wellFormed }),
  ],
  { error: refused("parts", "text") },
);

const text = z.union([
  wellFormed,
  listOf(textPart).transform((parts) =>
    parts.map((part) => (part.type === "refusal" ? part.refusal : part.text)).join(""),
  ),
]);

/** Tells which response an item is from, if it is from one. Other ids have no effect. */
const outputId = z.unknown().optional();

const messageItem = z.object({
  type: z.literal("message"),
  id: outputId,
  role: z.enum(["user", "assistant", "system", "developer"]),
  content: text,
});

const functionCall = z.object({
  type: z.literal("function_call"),
  id: outputId,
  call_id: wellFormed,
  name: toolName,
  arguments: wellFormed,
});

const functionOutput = z.object({
  type: z.literal("function_call_output"),
  call_id: wellFormed,
  output: text.nullish(),
});

const reasoningItem = z.object({
  type: z.literal("reasoning"),
  id: outputId,
  content: listOf(z.object({ type: z.literal("reasoning_text"), text: wellFormed })).nullish(),
  summary: listOf(z.object({ type: z.literal("summary_text"), text: wellFormed })).nullish(),
  encrypted_content: noEffect,
});

const reference = z.object({ type: z.literal("item_reference"), id: z.string() });

const item = z.preprocess(
  withType,
  z.discriminatedUnion("type", [messageItem, functionCall, functionOutput, reasoningItem, reference], {
    error: refused("items", "message, function_call, function_call_output, reasoning and item_reference"),
  }),
);

/** A text stands for one user message. */
export const responseInput = z.union([
  wellFormed.transform((content): InputItem[] => [{ type: "message", role: "user", content }]),
  listOf(item, { once: true }),
]);

export type InputItem = z.output<typeof item>;
export type InputReference = z.output<typeof reference>;

/** Items without a type are messages, or references where they have nothing but an id. */
function withType(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("type" in value && value.type !== null) return value;
  return { ...value, type: "role" in value ? "message" : "item_reference" };
}

/** What one turn of the assistant says, gathered from its items. */
interface Turn {
  content: string;
  reasoning: string;
  toolCalls: ToolCall[];
  /** The item before was a message: another one begins another turn. */
  afterMessage: boolean;
}

/**
 * Messages of the items. Reasoning, a message and calls that follow each other are one turn of the assistant, as a
 * response's own output is.
 *
 * @param resolve the item that a reference names
 */
export function toMessages(items: readonly InputItem[], resolve: (item: InputReference) => InputItem): Message[] {
  const messages: Message[] = [];
  let turn: Turn | undefined;
  const endTurn = () => {
    if (turn) messages.push(toMessage(turn));
    turn = undefined;
  };
  for (const each of items) {
    const known = each.type === "item_reference" ? resolve(each) : each;
    if (beginsTurn(known, turn)) endTurn();
    if (isOfAssistant(known)) turn = addToTurn(turn, known);
    else messages.push(toOtherMessage(known));
  }
  endTurn();
  return messages;
}

type AssistantItem = Extract<InputItem, { type: "function_call" | "reasoning" | "message" }>;

function isOfAssistant(item: InputItem): item is AssistantItem {
  if (item.type === "message") return item.role === "assistant";
  return item.type === "function_call" || item.type === "reasoning";
}

/** Whether what came before is over: the turn of someone else begins, or a new one of the assistant. */
function beginsTurn(item: InputItem, turn: Turn | undefined): boolean {
  if (!isOfAssistant(item)) return true;
  if (item.type === "message") return turn?.afterMessage ?? false;
  return item.type === "reasoning" && turn !== undefined && (turn.content !== "" || turn.toolCalls.length > 0);
}

function addToTurn(turn: Turn | undefined, item: AssistantItem): Turn {
  const into = turn ?? { content: "", reasoning: "", toolCalls: [], afterMessage: false };
  into.afterMessage = item.type === "message";
  if (item.type === "message") into.content += item.content;
  if (item.type === "reasoning") into.reasoning += toReasoning(item);
  if (item.type === "function_call") {
    into.toolCalls.push({ id: item.call_id, name: item.name, arguments: item.arguments });
  }
  return into;
}

function toReasoning({ content, summary }: z.output<typeof reasoningItem>): string {
  const parts = content?.length ? content : (summary ?? []);
  return parts.map((part) => part.text).join("");
}

function toMessage({ content, reasoning, toolCalls }: Turn): Message {
  return {
    role: "assistant",
    content,
    ...(reasoning === "" ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function toOtherMessage(item: InputItem): Message {
  if (item.type === "message") return { role: item.role, content: item.content };
  if (item.type === "function_call_output")
    return { role: "tool", content: item.output ?? "", toolCallId: item.call_id };
  throw new RangeError(`an item of type ${item.type} is the assistant's`);
}
