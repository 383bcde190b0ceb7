import { z } from "zod";
import { listMedia, readContent, showAsText, toPlaceholder } from "../../conversation/media.js";
import type { Message, ToolCall } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { responseId, toolName, wellFormed } from "../fields.js";
import { type MediaField, toMediaFields } from "../image-policy.js";
import { type ReadReasoning, SentReasoning } from "../reasoning-signature.js";
import { content, describeRefused, screenshot } from "./content.js";
import { joinName } from "./namespaces.js";

/** Schemas of the items of a response's input, and their translation into {@link Message}s. */

/** The id of an item that an earlier response generated. It contains the id of that response. Other ids have no effect. */
const outputId = z.unknown().optional();

const messageItem = z
  .object({
    type: z.literal("message"),
    id: outputId,
    role: z.enum(["user", "assistant", "system", "developer"]),
    content,
  })
  .superRefine(({ role, content }, context) => {
    const [first] = listMedia(content);
    if (!first || role === "user") return;
    const message = `only text parts are supported in messages of role "${role}"; received one of type "${first.type}"`;
    context.addIssue({ code: "custom", path: ["content", first.index, "type"], message });
  });

const functionCall = z.object({
  type: z.literal("function_call"),
  id: outputId,
  call_id: wellFormed,
  name: toolName,
  namespace: toolName.nullish(),
  arguments: wellFormed,
});

const functionOutput = z.object({
  type: z.literal("function_call_output"),
  call_id: wellFormed,
  output: content.nullish(),
});

const computerOutput = z.object({
  type: z.literal("computer_call_output"),
  call_id: wellFormed,
  output: screenshot,
});

const reasoningItem = z.object({
  type: z.literal("reasoning"),
  id: outputId,
  content: listOf(z.object({ type: z.literal("reasoning_text"), text: wellFormed })).nullish(),
  summary: listOf(z.object({ type: z.literal("summary_text"), text: wellFormed })).nullish(),
  encrypted_content: z.unknown().optional(),
});

const reference = z.object({ type: z.literal("item_reference"), id: responseId });

const item = z.preprocess(
  withType,
  z.discriminatedUnion("type", [messageItem, functionCall, functionOutput, computerOutput, reasoningItem, reference], {
    error: describeRefused(
      "item",
      "message, function_call, function_call_output, computer_call_output, reasoning and item_reference",
    ),
  }),
);

/** A list of items. A text is short for one user message. */
export const responseInput = z.union([
  wellFormed.transform((content): InputItem[] => [{ type: "message", role: "user", content }]),
  listOf(item, { once: true }),
]);

export type InputItem = z.output<typeof item>;
export type InputReference = z.output<typeof reference>;

/** Returns the parts of items that are not text. */
export function listResponsesMediaFields(items: readonly InputItem[]): MediaField[] {
  return items.flatMap((item, i): MediaField[] => {
    if (item.type === "message") return toMediaFields(listMedia(item.content), `input[${i}].content`);
    if (item.type === "function_call_output") return toMediaFields(listMedia(item.output), `input[${i}].output`);
    return item.type === "computer_call_output" ? [{ param: `input[${i}].output.type`, type: item.output.type }] : [];
  });
}

/** Adds the type that an item leaves out: an item with a role is a message, any other a reference. */
function withType(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("type" in value && value.type !== null) return value;
  return { ...value, type: "role" in value ? "message" : "item_reference" };
}

/** One turn of the assistant, collected from its items. */
interface Turn {
  content: string;
  readonly reasoning: SentReasoning;
  toolCalls: ToolCall[];
  /** The last item was a message, so another message begins a new turn. */
  afterMessage: boolean;
}

/**
 * Translates items into messages. Reasoning, a message and calls that follow each other form one turn of the assistant,
 * as in a response's own output.
 *
 * @param resolve returns the item that a reference names
 */
export function readResponsesMessages(
  items: readonly InputItem[],
  resolve: (item: InputReference) => InputItem,
  readReasoning: ReadReasoning,
): Message[] {
  const messages: Message[] = [];
  let turn: Turn | undefined;
  const endTurn = () => {
    if (turn) messages.push(toMessage(turn, readReasoning));
    turn = undefined;
  };
  for (const item of items) {
    const resolved = item.type === "item_reference" ? resolve(item) : item;
    if (beginsTurn(resolved, turn)) endTurn();
    if (isFromAssistant(resolved)) turn = addToTurn(turn, resolved);
    else messages.push(toOtherMessage(resolved));
  }
  endTurn();
  return messages;
}

type AssistantItem = Extract<InputItem, { type: "function_call" | "reasoning" | "message" }>;

function isFromAssistant(item: InputItem): item is AssistantItem {
  if (item.type === "message") return item.role === "assistant";
  return item.type === "function_call" || item.type === "reasoning";
}

/** Returns true if an item ends the assistant's current turn: it comes from someone else, or begins a new turn. */
function beginsTurn(item: InputItem, turn: Turn | undefined): boolean {
  if (!isFromAssistant(item)) return true;
  if (item.type === "message") return turn?.afterMessage ?? false;
  return item.type === "reasoning" && turn !== undefined && (turn.content !== "" || turn.toolCalls.length > 0);
}

function addToTurn(turn: Turn | undefined, item: AssistantItem): Turn {
  const current = turn ?? { content: "", reasoning: new SentReasoning(), toolCalls: [], afterMessage: false };
  current.afterMessage = item.type === "message";
  if (item.type === "message") current.content += showAsText(readContent(item.content));
  if (item.type === "reasoning") current.reasoning.add(toReasoning(item), item.encrypted_content);
  if (item.type === "function_call") {
    const name = joinName(item.namespace, item.name);
    current.toolCalls.push({ id: item.call_id, name, arguments: item.arguments });
  }
  return current;
}

function toReasoning({ content, summary }: z.output<typeof reasoningItem>): string {
  const parts = content?.length ? content : (summary ?? []);
  return parts.map((part) => part.text).join("");
}

function toMessage({ content, reasoning: sent, toolCalls }: Turn, readReasoning: ReadReasoning): Message {
  return {
    role: "assistant",
    content,
    ...sent.read(readReasoning),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function toOtherMessage(item: InputItem): Message {
  if (item.type === "message") return { role: item.role, content: readContent(item.content) };
  if (item.type === "function_call_output")
    return { role: "tool", content: readContent(item.output ?? ""), toolCallId: item.call_id };
  if (item.type === "computer_call_output")
    return { role: "tool", content: toPlaceholder("image"), toolCallId: item.call_id };
  throw new RangeError(`item of type ${item.type} belongs to the assistant`);
}
