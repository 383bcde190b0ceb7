import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import { type MessageContent, type MessagePart, toContent } from "../../conversation/content.js";
import { isMedia, type MediaPart } from "../../conversation/media.js";
import type { Message, ToolCall } from "../../conversation/message.js";
import { stringifySpelled } from "../../support/json/spelled.js";
import { listOf } from "../../support/schema/list-of.js";
import { jsonObjectSchema, noEffect, readType, toolName, wellFormed } from "../fields.js";
import type { MediaReader } from "../image-policy.js";
import { type ReadReasoning, SentReasoning } from "../reasoning-signature.js";
import { mediaBlocks } from "./media-blocks.js";
import type { ToolLoading } from "./tool-loading.js";
import { customTool } from "./tools.js";

/** Schemas of Anthropic's messages and blocks, and their translation into {@link Message}s. */

const textBlock = z.object({ type: z.literal("text"), text: wellFormed, cache_control: noEffect, citations: noEffect });

const describeRefusedBlock =
  (supported: string) =>
  (issue: { readonly input?: unknown }): string =>
    `only ${supported} blocks are supported; received a block of type "${(readType(issue.input) ?? "").slice(0, 40)}"`;

const textBlocks = listOf(z.discriminatedUnion("type", [textBlock], { error: describeRefusedBlock("text") }));

/** Is replaced by the definition of the tool. */
const toolReference = z.object({ type: z.literal("tool_reference"), tool_name: toolName, cache_control: noEffect });

const resultBlocks = listOf(
  z.discriminatedUnion("type", [textBlock, toolReference, ...mediaBlocks], {
    error: describeRefusedBlock("text, tool_reference, image and document"),
  }),
);

const toolResultBlock = z.object({
  type: z.literal("tool_result"),
  tool_use_id: wellFormed,
  content: z.union([wellFormed, resultBlocks]).nullish(),
  is_error: noEffect,
  cache_control: noEffect,
});

const userBlock = z.discriminatedUnion("type", [textBlock, toolResultBlock, ...mediaBlocks], {
  error: describeRefusedBlock("text, tool_result, image and document"),
});

const thinkingBlock = z.object({
  type: z.literal("thinking"),
  thinking: wellFormed,
  signature: z.unknown().optional(),
});
const redactedBlock = z.object({ type: z.literal("redacted_thinking"), data: z.unknown().optional() });
const toolUseBlock = z.object({
  type: z.literal("tool_use"),
  id: wellFormed,
  name: toolName,
  input: acceptAsWritten(jsonObjectSchema),
});

const assistantBlock = z.discriminatedUnion("type", [textBlock, thinkingBlock, redactedBlock, toolUseBlock], {
  error: describeRefusedBlock("text, thinking and tool_use"),
});

const changedTool = z.object({ type: z.literal("tool_reference"), name: toolName });

/** Changes of the tools during a conversation, which a system message announces. */
const toolAddition = z.object({
  type: z.literal("tool_addition"),
  tool: z.discriminatedUnion("type", [
    changedTool,
    z.object({ type: z.literal("tool_definition"), definition: customTool }),
  ]),
  cache_control: noEffect,
});
const toolRemoval = z.object({ type: z.literal("tool_removal"), tool: changedTool, cache_control: noEffect });

const systemBlocks = listOf(
  z.discriminatedUnion("type", [textBlock, toolAddition, toolRemoval], {
    error: describeRefusedBlock("text, tool_addition and tool_removal"),
  }),
);

const nonEmpty = <T extends z.ZodType>(element: T) => listOf(element, { min: 1 });

const message = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("user"), content: z.union([wellFormed, nonEmpty(userBlock)]) }),
    z.object({ role: z.literal("assistant"), content: z.union([wellFormed, listOf(assistantBlock)]) }),
    z.object({ role: z.literal("system"), content: z.union([wellFormed, systemBlocks]) }),
  ],
  { error: "must be one of user, assistant, system" },
);

export const inputMessages = listOf(message, { min: 1, once: true });
export const systemPrompt = z.union([wellFormed, textBlocks]);

export type InputMessage = z.output<typeof message>;
type UserBlock = z.output<typeof userBlock>;
type AssistantBlock = z.output<typeof assistantBlock>;
type Text = z.output<typeof systemPrompt>;
type ContentBlock = z.output<typeof resultBlocks>[number] | z.output<typeof systemBlocks>[number];

/** Reads what messages refer to. */
export interface BlockReaders {
  /** Writes the definitions of tools. */
  readonly tools: ToolLoading;
  readonly media: MediaReader;
  readonly reasoning: ReadReasoning;
}

/** Returns the conversation's messages, with the system prompt first. Each block of the system prompt is a paragraph. */
export function readAnthropicMessages(
  system: Text | undefined,
  messages: readonly InputMessage[],
  readers: BlockReaders,
): Message[] {
  const content = typeof system === "string" ? system : (system ?? []).map((block) => block.text).join("\n");
  const lead: Message[] = content === "" ? [] : [{ role: "system", content }];
  return [...lead, ...messages.flatMap((message, i) => toOwnMessages(message, readers, `messages[${i}].content`))];
}

/** @param path path of the content */
function toOwnMessages({ role, content }: InputMessage, readers: BlockReaders, path: string): Message[] {
  if (role === "user") return typeof content === "string" ? [{ role, content }] : userMessages(content, readers, path);
  if (role === "system") return [{ role, content: joinBlocks(content, readers, path) }];
  return [typeof content === "string" ? { role, content } : assistantMessage(content, readers.reasoning)];
}

/** Makes one message of each tool result, and one of each run of other blocks between them. */
function userMessages(blocks: readonly UserBlock[], readers: BlockReaders, path: string): Message[] {
  const messages: Message[] = [];
  let run: MessagePart[] = [];
  const endRun = () => {
    if (run.length > 0) messages.push({ role: "user", content: toContent(run) });
    run = [];
  };
  blocks.forEach((block, i) => {
    if (isMedia(block)) run.push(readers.media.readPart(block, `${path}[${i}]`));
    else if (block.type === "text") run.push({ type: "text", text: block.text });
    else {
      endRun();
      const content = joinBlocks(block.content, readers, `${path}[${i}].content`);
      messages.push({ role: "tool", content, toolCallId: block.tool_use_id });
    }
  });
  endRun();
  return messages;
}

/** Makes one message of all blocks. Thinking of another model that was redacted cannot be read and is dropped. */
function assistantMessage(blocks: readonly AssistantBlock[], readReasoning: ReadReasoning): Message {
  let content = "";
  const sent = new SentReasoning();
  const toolCalls: ToolCall[] = [];
  for (const block of blocks) {
    if (block.type === "text") content += block.text;
    if (block.type === "thinking") sent.add(block.thinking, block.signature);
    if (block.type === "redacted_thinking") sent.add("", block.data);
    if (block.type === "tool_use") {
      toolCalls.push({ id: block.id, name: block.name, arguments: stringifySpelled(block.input) });
    }
  }
  return {
    role: "assistant",
    content,
    ...sent.read(readReasoning),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

/** Joins the texts. References that follow each other become one block of definitions, on lines of its own. */
function joinBlocks(
  content: string | readonly ContentBlock[] | null | undefined,
  { tools, media }: BlockReaders,
  path: string,
): MessageContent {
  if (typeof content === "string") return content;
  const parts: MessagePart[] = [];
  // Of the blocks after the last image.
  let text = "";
  let names: string[] = [];
  let endsInLines = false;
  const addLines = (lines: string) => {
    const beginsLine = text === "" ? parts.length === 0 : text.endsWith("\n");
    text += beginsLine ? lines : `\n${lines}`;
    endsInLines = true;
  };
  const endReferences = () => {
    if (names.length > 0) addLines(tools.describe(names));
    names = [];
  };
  const add = (part: MessagePart) => {
    if (part.type === "text" && part.text === "") return;
    if (endsInLines) text += "\n";
    endsInLines = false;
    if (part.type === "text") text += part.text;
    else {
      parts.push({ type: "text", text }, part);
      text = "";
    }
  };
  (content ?? []).forEach((block, i) => {
    if (isMedia(block)) {
      endReferences();
      add(media.readPart(block, `${path}[${i}]`));
      return;
    }
    const name = readReference(block, tools);
    if (name !== undefined) {
      names.push(name);
      return;
    }
    endReferences();
    if (block.type === "tool_removal") addLines(`The tool ${block.tool.name} is no longer available.`);
    if (block.type === "text") add(block);
  });
  endReferences();
  return toContent([...parts, { type: "text", text }]);
}

/** Returns the name of the tool that a block adds to the prompt; undefined for other blocks. */
function readReference(block: Exclude<ContentBlock, MediaPart>, tools: ToolLoading): string | undefined {
  if (block.type === "tool_reference") return block.tool_name;
  if (block.type !== "tool_addition") return undefined;
  if (block.tool.type === "tool_reference") return block.tool.name;
  tools.define(block.tool.definition);
  return block.tool.definition.name;
}
