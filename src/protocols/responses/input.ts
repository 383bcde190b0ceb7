import { z } from "zod";
import { toContent } from "../../conversation/content.js";
import { isMedia } from "../../conversation/media.js";
import type { Message, ToolCall } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { responseId, toolName, wellFormed } from "../fields.js";
import type { MediaReader } from "../image-policy.js";
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
    if (typeof content === "string" || role === "user") return;
    const index = content.parts.findIndex(isMedia);
    const type = content.parts[index]?.type;
    const message = `only text parts are supported in messages of role "${role}"; received one of type "${type}"`;
    context.addIssue({ code: "custom", path: ["content", index, "type"], message });
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

/** Adds the type that an item leaves out: an item with a role is a message, any other a reference. */
function withType(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("type" in value && value.type !== null) return value;
  return { ...value, type: "role" in value ? "message" : "item_reference" };
}

/** Reads what items refer to. */
export interface ItemReaders {
  /** Returns the item that a reference names. */
  readonly resolve: (item: InputReference) => InputItem;
  readonly reasoning: ReadReasoning;
  readonly media: MediaReader;
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
 */
export function readResponsesMessages(
  items: readonly InputItem[],
  { resolve, reasoning, media }: ItemReaders,
): Message[] {
  const messages: Message[] = [];
  let turn: Turn | undefined;
  const endTurn = () => {
    if (turn) messages.push(toMessage(turn, reasoning));
    turn = undefined;
  };
  items.forEach((item, i) => {
    const resolved = item.type === "item_reference" ? resolve(item) : item;
    if (beginsTurn(resolved, turn)) endTurn();
    if (isFromAssistant(resolved)) turn = addToTurn(turn, resolved);
    else messages.push(toOtherMessage(resolved, media, `input[${i}]`));
  });
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
  // The schema allows only text from the assistant.
  if (item.type === "message" && typeof item.content === "string") current.content += item.content;
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

/** @param path path of the item */
function toOtherMessage(item: InputItem, media: MediaReader, path: string): Message {
  if (item.type === "message") return { role: item.role, content: media.readContent(item.content, `${path}.content`) };
  if (item.type === "function_call_output")
    return { role: "tool", content: media.readContent(item.output ?? "", `${path}.output`), toolCallId: item.call_id };
  if (item.type === "computer_call_output")
    return {
      role: "tool",
      content: toContent([media.readPart(item.output, `${path}.output`)]),
      toolCallId: item.call_id,
    };
  throw new RangeError(`item of type ${item.type} belongs to the assistant`);
}
