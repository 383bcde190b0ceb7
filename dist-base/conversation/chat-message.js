/*
 * Messages in the shape of OpenAI's chat completions, which agents, trainers and chat templates share, and their
 * translation into `Message`. `null` means absent. Fields that no prompt shows are dropped.
 */
import { z } from "zod";
import { listOf } from "../support/schema/list-of.js";
import { joinParts, listMedia, readText } from "./media.js";
const text = z.string().transform((value) => value.toWellFormed());
const optionalText = text.nullish();
const textPart = z.object({ type: z.literal("text"), text });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: text });
const contentSchema = (part) => z.union([text, listOf(part).transform((parts) => parts.map((p) => ("text" in p ? p.text : p.refusal)).join(""))]);
const content = contentSchema(z.discriminatedUnion("type", [textPart], {
    error: (issue) => `only text parts are supported; received ${describePart(issue.input)}`,
}));
const assistantContent = contentSchema(z.discriminatedUnion("type", [textPart, refusalPart], {
    error: (issue) => `only text and refusal parts are supported; received ${describePart(issue.input)}`,
}));
/** Parts that a prompt can only show as placeholders. Their data is neither read nor kept. */
const MEDIA_KINDS = { image_url: "image", file: "file", input_audio: "audio" };
const shownPart = z.discriminatedUnion("type", [
    textPart,
    z.object({ type: z.literal("image_url") }),
    z.object({ type: z.literal("file") }),
    z.object({ type: z.literal("input_audio") }),
], { error: (issue) => `only text parts are supported; received ${describePart(issue.input)}` });
const shownContent = z.union([
    text,
    listOf(shownPart).transform((parts) => joinParts(parts, (part) => (part.type === "text" ? part : { kind: MEDIA_KINDS[part.type] }))),
]);
const toolCall = z.object({
    id: text,
    type: z.literal("function").nullish(),
    function: z.object({ name: text.pipe(z.string().min(1)), arguments: text }),
});
const named = { name: optionalText };
const plain = (role, body) => z.object({ role: z.literal(role), content: body, ...named });
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
const toolResult = (body) => z.object({ role: z.literal("tool"), content: body.nullish(), tool_call_id: text, ...named });
/** @param seen schema of the content of user and tool messages, which may have parts that are not text */
const messageShape = (seen) => z.discriminatedUnion("role", [plain("system", content), plain("developer", content), plain("user", seen), assistant, toolResult(seen)], { error: "must be one of system, developer, user, assistant, tool" });
const chatMessageShape = messageShape(content);
const shownMessageShape = messageShape(shownContent);
/** Messages of text only. */
export const chatMessagesSchema = listOf(chatMessageShape.transform(toMessage), { min: 1, once: true });
/** Messages of users and tools may have images, files and audio. */
export const shownMessagesSchema = listOf(shownMessageShape.transform((message) => ({ message: toMessage(message), media: listMedia(message.content) })), { min: 1, once: true });
function toMessage(message) {
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
            return { role: "tool", content: readText(message.content ?? ""), toolCallId: message.tool_call_id, ...name };
        case "system":
        case "developer":
        case "user":
            return { role: message.role, content: readText(message.content), ...name };
    }
}
function assistantExtras(message) {
    const reasoning = message.reasoning_content || message.reasoning;
    const toolCalls = message.tool_calls?.map((call) => ({ id: call.id, ...call.function }));
    if (!toolCalls?.length)
        return reasoning ? { reasoning } : {};
    return reasoning ? { reasoning, toolCalls } : { toolCalls };
}
/** Returns a message in the shape of answers and exports. */
export function toChatMessage(message) {
    const { role, content: body, reasoning, toolCalls, toolCallId, name } = message;
    const base = { content: body, ...(name ? { name } : {}) };
    if (role === "tool")
        return { role, ...base, tool_call_id: toolCallId ?? "" };
    if (role !== "assistant")
        return { role, ...base };
    return {
        role,
        ...base,
        ...(reasoning ? { reasoning_content: reasoning } : {}),
        ...(toolCalls ? { tool_calls: toolCalls.map(toWireCall) } : {}),
    };
}
function toWireCall(call) {
    return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}
function describePart(part) {
    const type = typeof part === "object" && part !== null && "type" in part ? part.type : undefined;
    return typeof type === "string" ? `a part of type "${type.slice(0, 40)}"` : "a part without a type";
}
//# sourceMappingURL=chat-message.js.map