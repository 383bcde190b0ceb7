import { z } from "zod";
import { tokenLogprobs, toLogprobs } from "../logprobs.js";
import { signReasoning } from "../reasoning-signature.js";
/** Items of a response's output. An item's id contains its response and its index, so no table of ids is needed. */
const status = z.enum(["in_progress", "completed", "incomplete"]);
const outputText = z.object({
    type: z.literal("output_text"),
    text: z.string(),
    annotations: z.array(z.unknown()),
    logprobs: tokenLogprobs,
});
const reasoningText = z.object({ type: z.literal("reasoning_text"), text: z.string() });
export const outputItem = z.discriminatedUnion("type", [
    z.object({
        type: z.literal("message"),
        id: z.string(),
        role: z.literal("assistant"),
        status,
        content: z.array(outputText),
    }),
    z.object({
        type: z.literal("function_call"),
        id: z.string(),
        call_id: z.string(),
        name: z.string(),
        namespace: z.string().optional().describe("Of a tool that the request declares in a namespace."),
        arguments: z.string(),
        status,
    }),
    z.object({
        type: z.literal("reasoning"),
        id: z.string(),
        summary: z.array(z.unknown()),
        content: z.array(reasoningText),
        encrypted_content: z.string().describe("Sent back without `content`, it stands for it."),
        status,
    }),
]);
export const RESPONSE_PREFIX = "resp_";
const PREFIXES = { text: "msg_", reasoning: "rs_", tool_call: "fc_" };
const ITEM_ID = /^(?:msg|rs|fc)_([0-9a-f]+)_(\d+)$/;
export function itemId(responseId, part, index) {
    return `${PREFIXES[part.type]}${responseId.slice(RESPONSE_PREFIX.length)}_${index}`;
}
/** Returns the response id and the output index in an item's id; undefined if the text is not an item's id. */
export function parseItemId(id) {
    const match = ITEM_ID.exec(id);
    return match ? { responseId: `${RESPONSE_PREFIX}${match[1]}`, index: Number(match[2]) } : undefined;
}
export function toItem(part, { responseId, index, status: itemStatus }, namespaced) {
    const id = itemId(responseId, part, index);
    switch (part.type) {
        case "text":
            return {
                type: "message",
                id,
                role: "assistant",
                status: itemStatus,
                content: part.text === "" ? [] : [toOutputText(part)],
            };
        case "reasoning": {
            const content = part.text === "" ? [] : [toReasoningText(part.text)];
            return {
                type: "reasoning",
                id,
                summary: [],
                content,
                encrypted_content: signReasoning(responseId),
                status: itemStatus,
            };
        }
        case "tool_call": {
            const { id: callId, name, arguments: text } = part;
            const called = namespaced.get(name) ?? { name };
            return { type: "function_call", id, call_id: callId, ...called, arguments: text, status: itemStatus };
        }
    }
}
export function toOutputText({ text, logprobs = [] }) {
    return { type: "output_text", text, annotations: [], logprobs: toLogprobs(logprobs) };
}
export function toReasoningText(text) {
    return { type: "reasoning_text", text };
}
//# sourceMappingURL=output-items.js.map