import { z } from "zod";
import type { Message } from "../../conversation/message.js";
import type { ModelRequest } from "../model-request.js";
import type { RequestPolicies } from "../request-policies.js";
import { type InputItem } from "./input.js";
export declare const responsesSchema: z.ZodObject<{
    min_p: z.ZodOptional<z.ZodNumber>;
    repetition_penalty: z.ZodOptional<z.ZodNumber>;
    min_tokens: z.ZodOptional<z.ZodInt32>;
    ignore_eos: z.ZodOptional<z.ZodBoolean>;
    logit_bias: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodNumber>, z.ZodTransform<import("../request-sampling.js").TokenBias[], Record<string, number>>>>;
    stop_token_ids: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<number[], unknown[]>>>;
    seed: z.ZodOptional<z.ZodInt>;
    chat_template_kwargs: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<Record<string, unknown>, Record<string, unknown>>>>;
    tools: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        [x: string]: unknown;
        type: string;
        execution?: unknown;
    } | {
        allowed_callers?: unknown;
        defer_loading?: unknown;
        type: "function";
        name: string;
        description?: string | null | undefined;
        parameters?: Record<string, unknown> | null | undefined;
        strict?: boolean | null | undefined;
        output_schema?: undefined;
    } | {
        type: "namespace";
        name: string;
        description?: string | null | undefined;
        tools: {
            allowed_callers?: unknown;
            defer_loading?: unknown;
            type: "function";
            name: string;
            description?: string | null | undefined;
            parameters?: Record<string, unknown> | null | undefined;
            strict?: boolean | null | undefined;
            output_schema?: undefined;
        }[];
    })[], unknown[]>>>;
    tool_choice: z.ZodOptional<z.ZodUnion<readonly [z.ZodEnum<{
        auto: "auto";
        none: "none";
        required: "required";
    }>, z.ZodPipe<z.ZodUnknown, z.ZodTransform<{
        [x: string]: unknown;
        type: string;
        execution?: unknown;
    } | {
        type: "function";
        name: string;
        namespace?: string | null | undefined;
    } | {
        type: "allowed_tools";
        mode: "auto" | "required";
        tools: ({
            [x: string]: unknown;
            type: string;
            execution?: unknown;
        } | {
            type: "function";
            name: string;
            namespace?: string | null | undefined;
        })[];
    }, unknown>>]>>;
    parallel_tool_calls: z.ZodOptional<z.ZodBoolean>;
    model: z.ZodOptional<z.ZodString>;
    input: z.ZodOptional<z.ZodUnion<readonly [z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodTransform<({
        type: "message";
        id?: unknown;
        role: "assistant" | "developer" | "system" | "user";
        content: string | import("../../conversation/media.js").ContentWithMedia;
    } | {
        type: "function_call";
        id?: unknown;
        call_id: string;
        name: string;
        namespace?: string | null | undefined;
        arguments: string;
    } | {
        type: "function_call_output";
        call_id: string;
        output?: string | import("../../conversation/media.js").ContentWithMedia | null | undefined;
    } | {
        type: "computer_call_output";
        call_id: string;
        output: {
            type: "computer_screenshot";
        };
    } | {
        type: "reasoning";
        id?: unknown;
        content?: {
            type: "reasoning_text";
            text: string;
        }[] | null | undefined;
        summary?: {
            type: "summary_text";
            text: string;
        }[] | null | undefined;
        encrypted_content?: unknown;
    } | {
        type: "item_reference";
        id: string;
    })[], string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        type: "message";
        id?: unknown;
        role: "assistant" | "developer" | "system" | "user";
        content: string | import("../../conversation/media.js").ContentWithMedia;
    } | {
        type: "function_call";
        id?: unknown;
        call_id: string;
        name: string;
        namespace?: string | null | undefined;
        arguments: string;
    } | {
        type: "function_call_output";
        call_id: string;
        output?: string | import("../../conversation/media.js").ContentWithMedia | null | undefined;
    } | {
        type: "computer_call_output";
        call_id: string;
        output: {
            type: "computer_screenshot";
        };
    } | {
        type: "reasoning";
        id?: unknown;
        content?: {
            type: "reasoning_text";
            text: string;
        }[] | null | undefined;
        summary?: {
            type: "summary_text";
            text: string;
        }[] | null | undefined;
        encrypted_content?: unknown;
    } | {
        type: "item_reference";
        id: string;
    })[], unknown[]>>]>>;
    instructions: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>;
    previous_response_id: z.ZodOptional<z.ZodString>;
    store: z.ZodOptional<z.ZodBoolean>;
    max_output_tokens: z.ZodOptional<z.ZodInt32>;
    temperature: z.ZodOptional<z.ZodNumber>;
    top_p: z.ZodOptional<z.ZodNumber>;
    text: z.ZodOptional<z.ZodObject<{
        format: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodDiscriminatedUnion<[z.ZodObject<{
            type: z.ZodLiteral<"text">;
        }, z.core.$strip>, z.ZodObject<{
            type: z.ZodLiteral<"json_object">;
        }, z.core.$strip>, z.ZodObject<{
            name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            strict: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
            type: z.ZodLiteral<"json_schema">;
            schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
        }, z.core.$strip>], "type">, z.ZodTransform<{
            format: {
                type: "text";
            } | {
                type: "json_object";
            } | {
                name?: string | null | undefined;
                description?: string | null | undefined;
                strict?: boolean | null | undefined;
                type: "json_schema";
                schema: Record<string, unknown>;
            };
            structure: import("../request-sampling.js").OutputStructure | undefined;
        }, {
            type: "text";
        } | {
            type: "json_object";
        } | {
            name?: string | null | undefined;
            description?: string | null | undefined;
            strict?: boolean | null | undefined;
            type: "json_schema";
            schema: Record<string, unknown>;
        }>>>>;
        verbosity: z.ZodOptional<z.ZodUnknown>;
    }, z.core.$strict>>;
    reasoning: z.ZodOptional<z.ZodObject<{
        effort: z.ZodOptional<z.ZodNullable<z.ZodEnum<{
            high: "high";
            low: "low";
            max: "max";
            medium: "medium";
            minimal: "minimal";
            none: "none";
            xhigh: "xhigh";
        }>>>;
        summary: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        generate_summary: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        context: z.ZodOptional<z.ZodUnknown>;
        mode: z.ZodOptional<z.ZodUnknown>;
    }, z.core.$strict>>;
    include: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    top_logprobs: z.ZodOptional<z.ZodInt32>;
    stream: z.ZodOptional<z.ZodBoolean>;
    metadata: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
    top_k: z.ZodOptional<z.ZodInt32>;
    thinking_token_budget: z.ZodOptional<z.ZodInt32>;
    background: z.ZodOptional<z.ZodUnknown>;
    conversation: z.ZodOptional<z.ZodUnknown>;
    context_management: z.ZodOptional<z.ZodUnknown>;
    max_tool_calls: z.ZodOptional<z.ZodUnknown>;
    prompt: z.ZodOptional<z.ZodUnknown>;
    truncation: z.ZodOptional<z.ZodUnknown>;
    client_metadata: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    moderation: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    prompt_cache_key: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    prompt_cache_options: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    prompt_cache_retention: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    safety_identifier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    service_tier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    stream_options: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    user: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strict>;
export type ResponsesRequest = z.output<typeof responsesSchema>;
/** Looks up the stored responses of a session. */
export interface EarlierResponses {
    /** Returns a response's conversation without instructions, its output last; undefined if the response is unknown. */
    findMessages(responseId: string): readonly Message[] | undefined;
    /** Returns the number of placeholders in the messages of a response; 0 if the response is unknown. */
    countPlaceholders(responseId: string): number;
    /** Returns an item of a response's output by the item's id; undefined if the item is unknown. */
    findItem(id: string): InputItem | undefined;
    /** Returns the reasoning that `encrypted_content` stands for; empty if that is unknown. */
    readReasoning(signature: string): string;
}
export declare function parseResponses(request: ResponsesRequest, earlier: EarlierResponses, { serverTools, images }?: RequestPolicies): ModelRequest;
/** Returns the ids of the responses that a request continues or refers to. */
export declare function listNamedResponses({ previous_response_id: previous, input }: ResponsesRequest): string[];
