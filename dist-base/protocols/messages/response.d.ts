import { z } from "zod";
import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
declare const block: z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"text">;
    text: z.ZodString;
    citations: z.ZodNull;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"thinking">;
    thinking: z.ZodString;
    signature: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"tool_use">;
    id: z.ZodString;
    name: z.ZodString;
    input: z.ZodUnknown;
    caller: z.ZodObject<{
        type: z.ZodLiteral<"direct">;
    }, z.core.$strip>;
}, z.core.$strip>], "type">;
export declare const messagesResponseSchema: z.ZodObject<{
    id: z.ZodString;
    type: z.ZodLiteral<"message">;
    role: z.ZodLiteral<"assistant">;
    model: z.ZodString;
    content: z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"text">;
        text: z.ZodString;
        citations: z.ZodNull;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"thinking">;
        thinking: z.ZodString;
        signature: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"tool_use">;
        id: z.ZodString;
        name: z.ZodString;
        input: z.ZodUnknown;
        caller: z.ZodObject<{
            type: z.ZodLiteral<"direct">;
        }, z.core.$strip>;
    }, z.core.$strip>], "type">>;
    stop_reason: z.ZodNullable<z.ZodEnum<{
        end_turn: "end_turn";
        max_tokens: "max_tokens";
        stop_sequence: "stop_sequence";
        tool_use: "tool_use";
    }>>;
    stop_sequence: z.ZodNullable<z.ZodString>;
    usage: z.ZodObject<{
        input_tokens: z.ZodInt;
        output_tokens: z.ZodInt;
        cache_creation_input_tokens: z.ZodNullable<z.ZodInt>;
        cache_read_input_tokens: z.ZodNullable<z.ZodInt>;
        output_tokens_details: z.ZodNullable<z.ZodObject<{
            thinking_tokens: z.ZodInt;
        }, z.core.$strip>>;
    }, z.core.$strip>;
}, z.core.$strip>;
export type MessagesResponse = z.input<typeof messagesResponseSchema>;
export type Block = z.input<typeof block>;
export declare function toMessagesResponse(answer: GenerationAnswer): MessagesResponse;
/**
 * Returns a message without blocks, as the event `message_start` contains it. The counts of the cache are null, because
 * they are not known before the engine answers.
 */
export declare function emptyMessage({ interactionId, model, promptTokens }: AnswerStart): MessagesResponse;
export declare function toStop(answer: GenerationAnswer): Pick<MessagesResponse, "stop_reason" | "stop_sequence">;
/**
 * Returns the usage of a complete answer. As in Anthropic's API, tokens read from the cache are not part of the input
 * tokens. Engines do not report tokens written to the cache, so their number is 0.
 */
export declare function toUsage(answer: GenerationAnswer): MessagesResponse["usage"];
export declare function emptyToolUse(id: string, name: string): Extract<Block, {
    type: "tool_use";
}>;
export {};
