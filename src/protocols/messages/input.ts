import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import type { Message, ToolCall } from "../../conversation/message.js";
import { stringifySpelled } from "../../support/json/spelled.js";
import { listOf } from "../../support/schema/list-of.js";
import { jsonObjectSchema, noEffect, readType, toolName, wellFormed } from "../fields.js";

/** Schemas of Anthropic's messages and blocks, and their translation into {@link Message}s. */

const textBlock = z.object({ type: z.literal("text"), text: wellFormed, cache_control: noEffect, citations: noEffect });

const describeRefusedBlock =
  (supported: string) =>
  (issue: { readonly input?: unknown }): string =>
    `only ${supported} blocks are supported; received a block of type "${(readType(issue.input) ?? "").slice(0, 40)}"`;

const textBlocks = listOf(z.discriminatedUnion("type", [textBlock], { error: describeRefusedBlock("text") }));

const toolResultBlock = z.object({
  type: z.literal("tool_result"),
  tool_use_id: wellFormed,
  content: z.union([wellFormed, textBlocks]).nullish(),
  is_error: noEffect,
  cache_control: noEffect,
});

const userBlock = z.discriminatedUnion("type", [textBlock, toolResultBlock], {
  error: describeRefusedBlock("text and tool_result"),
});

const thinkingBlock = z.object({ type: z.literal("thinking"), thinking: wellFormed, signature: noEffect });
const redactedBlock = z.object({ type: z.literal("redacted_thinking"), data: noEffect });
const toolUseBlock = z.object({
  type: z.literal("tool_use"),
  id: wellFormed,
  name: toolName,
  input: acceptAsWritten(jsonObjectSchema),
});

const assistantBlock = z.discriminatedUnion("type", [textBlock, thinkingBlock, redactedBlock, toolUseBlock], {
  error: describeRefusedBlock("text, thinking and tool_use"),
});

const nonEmpty = <T extends z.ZodType>(element: T) => listOf(element, { min: 1 });

const message = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.literal("user"), content: z.union([wellFormed, nonEmpty(userBlock)]) }),
    z.object({ role: z.literal("assistant"), content: z.union([wellFormed, listOf(assistantBlock)]) }),
    z.object({ role: z.literal("system"), content: z.union([wellFormed, textBlocks]) }),
  ],
  { error: "must be one of user, assistant, system" },
);

export const inputMessages = listOf(message, { min: 1, once: true });
export const systemPrompt = z.union([wellFormed, textBlocks]);

type InputMessage = z.output<typeof message>;
type UserBlock = z.output<typeof userBlock>;
type AssistantBlock = z.output<typeof assistantBlock>;
type Text = z.output<typeof systemPrompt>;

/** Returns the conversation's messages, with the system prompt first. Each block of the system prompt is a paragraph. */
export function toMessages(system: Text | undefined, messages: readonly InputMessage[]): Message[] {
  const content = typeof system === "string" ? system : (system ?? []).map((block) => block.text).join("\n");
  const lead: Message[] = content === "" ? [] : [{ role: "system", content }];
  return [...lead, ...messages.flatMap(toOwnMessages)];
}

function toOwnMessages({ role, content }: InputMessage): Message[] {
  if (role === "user") return typeof content === "string" ? [{ role, content }] : userMessages(content);
  if (role === "system") return [{ role, content: joinText(content) }];
  return [typeof content === "string" ? { role, content } : assistantMessage(content)];
}

/** Makes one message of each tool result, and one of each run of text between them. */
function userMessages(blocks: readonly UserBlock[]): Message[] {
  const messages: Message[] = [];
  let text: string | undefined;
  const endText = () => {
    if (text !== undefined) messages.push({ role: "user", content: text });
    text = undefined;
  };
  for (const block of blocks) {
    if (block.type === "text") {
      text = (text ?? "") + block.text;
      continue;
    }
    endText();
    messages.push({ role: "tool", content: joinText(block.content), toolCallId: block.tool_use_id });
  }
  endText();
  return messages;
}

/** Makes one message of all blocks. Redacted thinking is dropped: it comes from another model and cannot be read. */
function assistantMessage(blocks: readonly AssistantBlock[]): Message {
  let content = "";
  let reasoning = "";
  const toolCalls: ToolCall[] = [];
  for (const block of blocks) {
    if (block.type === "text") content += block.text;
    if (block.type === "thinking") reasoning += block.thinking;
    if (block.type === "tool_use") {
      toolCalls.push({ id: block.id, name: block.name, arguments: stringifySpelled(block.input) });
    }
  }
  return {
    role: "assistant",
    content,
    ...(reasoning === "" ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function joinText(content: Text | null | undefined): string {
  return typeof content === "string" ? content : (content ?? []).map((block) => block.text).join("");
}
