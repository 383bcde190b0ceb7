import { z } from "zod";
import type { Message } from "../../conversation/message.js";
import { type ReadReasoning } from "../reasoning-signature.js";
import type { ToolLoading } from "./tool-loading.js";
declare const message: z.ZodDiscriminatedUnion<[z.ZodObject<{
    role: z.ZodLiteral<"user">;
    content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    } | {
        type: "image";
        cache_control?: undefined;
    } | {
        type: "document";
        source: string | undefined;
        cache_control?: undefined;
    } | {
        type: "tool_result";
        tool_use_id: string;
        content?: string | ({
            type: "text";
            text: string;
            cache_control?: undefined;
            citations?: undefined;
        } | {
            type: "tool_reference";
            tool_name: string;
            cache_control?: undefined;
        } | {
            type: "image";
            cache_control?: undefined;
        } | {
            type: "document";
            source: string | undefined;
            cache_control?: undefined;
        })[] | null | undefined;
        is_error?: undefined;
        cache_control?: undefined;
    })[], unknown[]>>]>;
}, z.core.$strip>, z.ZodObject<{
    role: z.ZodLiteral<"assistant">;
    content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    } | {
        type: "thinking";
        thinking: string;
        signature?: unknown;
    } | {
        type: "redacted_thinking";
        data?: unknown;
    } | {
        type: "tool_use";
        id: string;
        name: string;
        input: Record<string, unknown>;
    })[], unknown[]>>]>;
}, z.core.$strip>, z.ZodObject<{
    role: z.ZodLiteral<"system">;
    content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    } | {
        type: "tool_addition";
        tool: {
            type: "tool_reference";
            name: string;
        } | {
            type: "tool_definition";
            definition: {
                type?: "custom" | null | undefined;
                name: string;
                description?: string | null | undefined;
                strict?: boolean | null | undefined;
                input_schema: Record<string, unknown>;
                input_examples?: unknown;
                allowed_callers?: unknown;
                defer_loading?: boolean | null | undefined;
                eager_input_streaming?: undefined;
                cache_control?: undefined;
            };
        };
        cache_control?: undefined;
    } | {
        type: "tool_removal";
        tool: {
            type: "tool_reference";
            name: string;
        };
        cache_control?: undefined;
    })[], unknown[]>>]>;
}, z.core.$strip>], "role">;
export declare const inputMessages: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
    role: "user";
    content: string | ({
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    } | {
        type: "image";
        cache_control?: undefined;
    } | {
        type: "document";
        source: string | undefined;
        cache_control?: undefined;
    } | {
        type: "tool_result";
        tool_use_id: string;
        content?: string | ({
            type: "text";
            text: string;
            cache_control?: undefined;
            citations?: undefined;
        } | {
            type: "tool_reference";
            tool_name: string;
            cache_control?: undefined;
        } | {
            type: "image";
            cache_control?: undefined;
        } | {
            type: "document";
            source: string | undefined;
            cache_control?: undefined;
        })[] | null | undefined;
        is_error?: undefined;
        cache_control?: undefined;
    })[];
} | {
    role: "assistant";
    content: string | ({
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    } | {
        type: "thinking";
        thinking: string;
        signature?: unknown;
    } | {
        type: "redacted_thinking";
        data?: unknown;
    } | {
        type: "tool_use";
        id: string;
        name: string;
        input: Record<string, unknown>;
    })[];
} | {
    role: "system";
    content: string | ({
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    } | {
        type: "tool_addition";
        tool: {
            type: "tool_reference";
            name: string;
        } | {
            type: "tool_definition";
            definition: {
                type?: "custom" | null | undefined;
                name: string;
                description?: string | null | undefined;
                strict?: boolean | null | undefined;
                input_schema: Record<string, unknown>;
                input_examples?: unknown;
                allowed_callers?: unknown;
                defer_loading?: boolean | null | undefined;
                eager_input_streaming?: undefined;
                cache_control?: undefined;
            };
        };
        cache_control?: undefined;
    } | {
        type: "tool_removal";
        tool: {
            type: "tool_reference";
            name: string;
        };
        cache_control?: undefined;
    })[];
})[], unknown[]>>;
export declare const systemPrompt: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
    type: "text";
    text: string;
    cache_control?: undefined;
    citations?: undefined;
}[], unknown[]>>]>;
export type InputMessage = z.output<typeof message>;
type Text = z.output<typeof systemPrompt>;
/**
 * Returns the conversation's messages, with the system prompt first. Each block of the system prompt is a paragraph.
 *
 * @param tools writes the definitions of the tools that messages refer to
 */
export declare function toMessages(system: Text | undefined, messages: readonly InputMessage[], tools: ToolLoading, readReasoning: ReadReasoning): Message[];
export {};
