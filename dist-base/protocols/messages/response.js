import { z } from "zod";
import { RawJson } from "../raw-json.js";
import { signReasoning } from "../reasoning-signature.js";
const usage = z.object({
    input_tokens: z.int().describe("Prompt tokens that were not in the engine's cache."),
    output_tokens: z.int(),
    cache_creation_input_tokens: z.int().nullable(),
    cache_read_input_tokens: z.int().nullable(),
    output_tokens_details: z.object({ thinking_tokens: z.int() }).nullable(),
});
const block = z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string(), citations: z.null() }),
    z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
    z.object({
        type: z.literal("tool_use"),
        id: z.string(),
        name: z.string(),
        input: z.unknown(),
        caller: z.object({ type: z.literal("direct") }),
    }),
]);
const stopReason = z.enum(["end_turn", "max_tokens", "stop_sequence", "tool_use"]);
export const messagesResponseSchema = z.object({
    id: z.string().describe("The interaction id, for /rl/set_reward."),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: z.string(),
    content: z.array(block),
    stop_reason: stopReason.nullable(),
    stop_sequence: z.string().nullable(),
    usage,
});
export function toMessagesResponse(answer) {
    return {
        ...emptyMessage(answer),
        content: answer.parts.map((part) => toBlock(part, answer.interactionId)),
        ...toStop(answer),
        usage: toUsage(answer),
    };
}
/**
 * Returns a message without blocks, as the event `message_start` contains it. The counts of the cache are null, because
 * they are not known before the engine answers.
 */
export function emptyMessage({ interactionId, model, promptTokens }) {
    return {
        id: interactionId,
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
            input_tokens: promptTokens,
            output_tokens: 0,
            cache_creation_input_tokens: null,
            cache_read_input_tokens: null,
            output_tokens_details: null,
        },
    };
}
export function toStop(answer) {
    return { stop_reason: toStopReason(answer), stop_sequence: answer.stopString ?? null };
}
/**
 * Returns the usage of a complete answer. As in Anthropic's API, tokens read from the cache are not part of the input
 * tokens. Engines do not report tokens written to the cache, so their number is 0.
 */
export function toUsage(answer) {
    const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = answer;
    return {
        input_tokens: promptTokens - cachedTokens,
        output_tokens: completionTokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cachedTokens,
        output_tokens_details: { thinking_tokens: reasoningTokens },
    };
}
function toStopReason({ finishReason, stopString }) {
    if (finishReason === "tool_calls")
        return "tool_use";
    if (finishReason === "length")
        return "max_tokens";
    return stopString === undefined ? "end_turn" : "stop_sequence";
}
function toBlock(part, interactionId) {
    switch (part.type) {
        case "text":
            return { type: "text", text: part.text, citations: null };
        case "reasoning":
            return { type: "thinking", thinking: part.text, signature: signReasoning(interactionId) };
        case "tool_call":
            return { ...emptyToolUse(part.id, part.name), input: toInput(part.arguments) };
    }
}
export function emptyToolUse(id, name) {
    return { type: "tool_use", id, name, input: {}, caller: { type: "direct" } };
}
/** Returns the arguments, or an empty object if they are not JSON because the output was cut off. */
function toInput(text) {
    try {
        JSON.parse(text);
        return new RawJson(text);
    }
    catch {
        return {};
    }
}
//# sourceMappingURL=response.js.map