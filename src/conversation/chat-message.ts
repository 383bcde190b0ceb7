/*
 * Messages in the shape of OpenAI's chat completions, which agents, trainers and chat templates share, and their
 * translation into `Message`. `null` means absent. Fields that no prompt shows are dropped.
 */
import { z } from "zod";
import { listOf } from "../support/schema/list-of.js";
import { type ImagePart, type MessageContent, toContent } from "./content.js";
import { type ContentWithMedia, type MediaPart, readParts } from "./media.js";
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

/** An image of which only the digest and the facts are recorded. */
const imagePart = z
  .object({
    type: z.literal("image"),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    media_type: z.string().regex(/^image\/[\w.+-]+$/),
    width: z.int32().min(1),
    height: z.int32().min(1),
  })
  .transform(({ media_type: mediaType, ...image }): ImagePart => ({ ...image, mediaType }));
const contentWithImages = z.union([
  text,
  listOf(
    z.discriminatedUnion("type", [textPart, imagePart], {
      error: (issue) => `only text and image parts are supported; received ${describePart(issue.input)}`,
    }),
  ).transform(toContent),
]);

const assistantContent = contentSchema(
  z.discriminatedUnion("type", [textPart, refusalPart], {
    error: (issue) => `only text and refusal parts are supported; received ${describePart(issue.input)}`,
  }),
);

const imageUrlPart = z
  .object({ type: z.literal("image_url"), image_url: z.unknown().optional() })
  .transform(({ type, image_url: image }): MediaPart => {
    const { url } = Object(image) as { readonly url?: unknown };
    return { type, kind: "image", image: { field: "image_url.url", value: url, form: "data_url" } };
  });
const filePart = z.object({ type: z.literal("file") }).transform((part): MediaPart => ({ ...part, kind: "file" }));
const audioPart = z
  .object({ type: z.literal("input_audio") })
  .transform((part): MediaPart => ({ ...part, kind: "audio" }));
const REQUEST_PARTS = "text, image_url, file or input_audio";
const requestContent = z.union([
  text,
  listOf(
    z.discriminatedUnion("type", [textPart, imageUrlPart, filePart, audioPart], {
      error: (issue) => `expected a part of type ${REQUEST_PARTS}; received ${describePart(issue.input)}`,
    }),
  ).transform(readParts),
]);

const toolCall = z.object({
  id: text,
  type: z.literal("function").nullish(),
  function: z.object({ name: text.pipe(z.string().min(1)), arguments: text }),
});

const named = { name: optionalText };
const plain = <R extends "system" | "developer" | "user", C extends z.ZodType>(role: R, body: C) =>
  z.object({ role: z.literal(role), content: body, ...named });

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

const toolResult = <C extends z.ZodType>(body: C) =>
  z.object({ role: z.literal("tool"), content: body.nullish(), tool_call_id: text, ...named });

/** @param seen schema of the content of user and tool messages, which may have parts that are not text */
const messageShape = <C extends z.ZodType>(seen: C) =>
  z.discriminatedUnion(
    "role",
    [plain("system", content), plain("developer", content), plain("user", seen), assistant, toolResult(seen)],
    { error: "must be one of system, developer, user, assistant, tool" },
  );

const chatMessageShape = messageShape(contentWithImages);
const requestMessageShape = messageShape(requestContent);

/** Messages of text, and of images that are recorded elsewhere. */
export const chatMessagesSchema = listOf(
  chatMessageShape.transform((message) => toMessage(message, message.content ?? "")),
  { min: 1, once: true },
);

/** A message of a request. If its content has parts that are not text, `message` is without it. */
export interface RequestMessage {
  readonly message: Message;
  /** Absent: the content is text. */
  readonly content?: ContentWithMedia;
}

/** Messages of users and tools may have images, files and audio. */
export const requestMessagesSchema = listOf(
  requestMessageShape.transform((message): RequestMessage => {
    const { content: body } = message;
    if (typeof body !== "object" || body === null) return { message: toMessage(message, body ?? "") };
    return { message: toMessage(message, ""), content: body };
  }),
  { min: 1, once: true },
);

/** One message that {@link chatMessagesSchema} accepts. */
export type ChatMessage = z.input<typeof chatMessageShape>;

function toMessage(
  message: z.output<typeof requestMessageShape> | z.output<typeof chatMessageShape>,
  body: MessageContent,
): Message {
  const name = message.name ? { name: message.name } : {};
  switch (message.role) {
    case "assistant":
      return {
        role: "assistant",
        content: body || message.refusal || "",
        ...assistantExtras(message),
        ...name,
      };
    case "tool":
      return { role: "tool", content: body, toolCallId: message.tool_call_id, ...name };
    case "system":
    case "developer":
    case "user":
      return { role: message.role, content: body, ...name };
  }
}

function assistantExtras(message: z.output<typeof assistant>): Pick<Message, "reasoning" | "toolCalls"> {
  const reasoning = message.reasoning_content || message.reasoning;
  const toolCalls = message.tool_calls?.map((call) => ({ id: call.id, ...call.function }));
  if (!toolCalls?.length) return reasoning ? { reasoning } : {};
  return reasoning ? { reasoning, toolCalls } : { toolCalls };
}

/** Returns a message in the shape of answers and exports. */
export function toChatMessage(message: Message): ChatMessage {
  const { role, content: body, reasoning, toolCalls, toolCallId, name } = message;
  const base = { content: toWireContent(body), ...(name ? { name } : {}) };
  if (role === "tool") return { role, ...base, tool_call_id: toolCallId ?? "" };
  if (role !== "assistant") return { role, ...base };
  return {
    role,
    ...base,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(toolCalls ? { tool_calls: toolCalls.map(toWireCall) } : {}),
  };
}

function toWireContent(content: MessageContent): string | object[] {
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "text") return part;
    const { mediaType, ...image } = part;
    return { ...image, media_type: mediaType };
  });
}

function toWireCall(call: { id: string; name: string; arguments: string }) {
  return { id: call.id, type: "function" as const, function: { name: call.name, arguments: call.arguments } };
}

function describePart(part: unknown): string {
  const type = typeof part === "object" && part !== null && "type" in part ? part.type : undefined;
  return typeof type === "string" ? `a part of type "${type.slice(0, 40)}"` : "a part without a type";
}
