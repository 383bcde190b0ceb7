/*
 * Messages in the shape of OpenAI's chat completions, which agents, trainers and chat templates share, and their
 * translation into `Message`. `null` means absent. Fields that no prompt shows are dropped.
 */
import { z } from "zod";
import { listOf } from "../support/schema/list-of.js";
import type { Message } from "./message.js";

const text = z.string().transform((value) => value.toWellFormed());
const optionalText = text.nullish();

const textPart = z.object({ type: z.literal("text"), text });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: text });

const contentSchema = (part: z.ZodType<{ text: string } | { refusal: string }>) =>
  z.union([text, listOf(part).transform((parts) => parts.map((p) => ("text" in p ? p.text : p.refusal)).join(""))]);
const content = contentSchema(
  z.discriminatedUnion("type", [textPart], {
    error: (issue) => `only text parts are supported; received ${describePart(issue.input)}`,
  }),
);
const assistantContent = contentSchema(
  z.discriminatedUnion("type", [textPart, refusalPart], {
    error: (issue) => `only text and refusal parts are supported; received ${describePart(issue.input)}`,
  }),
);

const toolCall = z.object({
  id: text,
  type: z.literal("function").nullish(),
  function: z.object({ name: text.pipe(z.string().min(1)), arguments: text }),
});

const named = { name: optionalText };
const plain = <R extends "system" | "developer" | "user">(role: R) =>
  z.object({ role: z.literal(role), content, ...named });

const assistant = z.object({
  role: z.literal("assistant"),
  content: assistantContent.nullish(),
  refusal: optionalText,
  reasoning_content: optionalText,
  reasoning: optionalText,
  tool_calls: listOf(toolCall).nullish(),
  audio: z.null({ error: "audio is not supported" }).optional(),
  function_call: z.null({ error: "function_call is not supported; use tool_calls" }).optional(),
  ...named,
});

const toolResult = z.object({ role: z.literal("tool"), content: content.nullish(), tool_call_id: text, ...named });

const chatMessageShape = z.discriminatedUnion(
  "role",
  [plain("system"), plain("developer"), plain("user"), assistant, toolResult],
  { error: "must be one of system, developer, user, assistant, tool" },
);

/** One chat message of a request. */
export const chatMessageSchema = chatMessageShape.transform(toMessage);

export const chatMessagesSchema = listOf(chatMessageSchema, { min: 1, once: true });

/** A value that {@link chatMessageSchema} accepts. */
export type ChatMessage = z.input<typeof chatMessageShape>;

function toMessage(message: z.output<typeof chatMessageShape>): Message {
  const name = message.name ? { name: message.name } : {};
  switch (message.role) {
    case "assistant":
      return {
        role: "assistant",
        content: message.content || message.refusal || "",
        ...assistantExtras(message),
        ...name,
      };
    case "tool":
      return { role: "tool", content: message.content ?? "", toolCallId: message.tool_call_id, ...name };
    case "system":
    case "developer":
    case "user":
      return { role: message.role, content: message.content, ...name };
  }
}

function assistantExtras(message: z.output<typeof assistant>): Pick<Message, "reasoning" | "toolCalls"> {
  const reasoning = message.reasoning_content || message.reasoning;
  const toolCalls = message.tool_calls?.map((call) => ({ id: call.id, ...call.function }));
  return { ...(reasoning ? { reasoning } : {}), ...(toolCalls?.length ? { toolCalls } : {}) };
}

/** Returns a message in the shape of answers and exports. */
export function toChatMessage(message: Message): ChatMessage {
  const { role, content: body, reasoning, toolCalls, toolCallId, name } = message;
  const base = { content: body, ...(name ? { name } : {}) };
  if (role === "tool") return { role, ...base, tool_call_id: toolCallId ?? "" };
  if (role !== "assistant") return { role, ...base };
  return {
    role,
    ...base,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(toolCalls ? { tool_calls: toolCalls.map(toWireCall) } : {}),
  };
}

function toWireCall(call: { id: string; name: string; arguments: string }) {
  return { id: call.id, type: "function" as const, function: { name: call.name, arguments: call.arguments } };
}

function describePart(part: unknown): string {
  const type = typeof part === "object" && part !== null && "type" in part ? part.type : undefined;
  return typeof type === "string" ? `a part of type "${type.slice(0, 40)}"` : "a part without a type";
}
