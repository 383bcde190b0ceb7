import { z } from "zod";
import type { ModelRequest } from "../model-request.js";
import type { RequestPolicies } from "../request-policies.js";
export declare const chatCompletionSchema: z.ZodObject<{
    min_p: z.ZodOptional<z.ZodNumber>;
    repetition_penalty: z.ZodOptional<z.ZodNumber>;
    min_tokens: z.ZodOptional<z.ZodInt32>;
    ignore_eos: z.ZodOptional<z.ZodBoolean>;
    logit_bias: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodNumber>, z.ZodTransform<import("../request-sampling.js").TokenBias[], Record<string, number>>>>;
    stop_token_ids: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<number[], unknown[]>>>;
    seed: z.ZodOptional<z.ZodInt>;
    chat_template_kwargs: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<Record<string, unknown>, Record<string, unknown>>>>;
    model: z.ZodOptional<z.ZodString>;
    messages: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<import("../../conversation/chat-message.js").ShownMessage[], unknown[]>>;
    tools: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        type: "function";
        function: {
            [x: string]: unknown;
            name: string;
        };
    } | {
        [x: string]: unknown;
        type: string;
        execution?: unknown;
    })[], unknown[]>>>;
    tool_choice: z.ZodOptional<z.ZodUnion<readonly [z.ZodEnum<{
        auto: "auto";
        none: "none";
        required: "required";
    }>, z.ZodObject<{
        type: z.ZodLiteral<"function">;
        function: z.ZodObject<{
            name: z.ZodString;
        }, z.core.$strip>;
    }, z.core.$strip>, z.ZodPipe<z.ZodObject<{
        type: z.ZodLiteral<"allowed_tools">;
        allowed_tools: z.ZodObject<{
            mode: z.ZodEnum<{
                auto: "auto";
                required: "required";
            }>;
            tools: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
                type: "function";
                function: {
                    name: string;
                };
            }[], unknown[]>>;
        }, z.core.$strip>;
    }, z.core.$strip>, z.ZodTransform<{
        type: "allowed_tools";
        mode: "auto" | "required";
        names: string[];
    }, {
        type: "allowed_tools";
        allowed_tools: {
            mode: "auto" | "required";
            tools: {
                type: "function";
                function: {
                    name: string;
                };
            }[];
        };
    }>>]>>;
    parallel_tool_calls: z.ZodOptional<z.ZodBoolean>;
    max_tokens: z.ZodOptional<z.ZodInt32>;
    max_completion_tokens: z.ZodOptional<z.ZodInt32>;
    temperature: z.ZodOptional<z.ZodNumber>;
    top_p: z.ZodOptional<z.ZodNumber>;
    top_k: z.ZodOptional<z.ZodInt32>;
    stop: z.ZodOptional<z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>]>>;
    frequency_penalty: z.ZodOptional<z.ZodNumber>;
    presence_penalty: z.ZodOptional<z.ZodNumber>;
    n: z.ZodOptional<z.ZodInt32>;
    logprobs: z.ZodOptional<z.ZodBoolean>;
    top_logprobs: z.ZodOptional<z.ZodInt32>;
    response_format: z.ZodOptional<z.ZodPipe<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"text">;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"json_object">;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"json_schema">;
        json_schema: z.ZodObject<{
            name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
            strict: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
            schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
        }, z.core.$strip>;
    }, z.core.$strip>], "type">, z.ZodTransform<import("../request-sampling.js").OutputStructure | undefined, {
        type: "text";
    } | {
        type: "json_object";
    } | {
        type: "json_schema";
        json_schema: {
            name?: string | null | undefined;
            description?: string | null | undefined;
            strict?: boolean | null | undefined;
            schema: Record<string, unknown>;
        };
    }>>>;
    reasoning_effort: z.ZodOptional<z.ZodEnum<{
        high: "high";
        low: "low";
        max: "max";
        medium: "medium";
        minimal: "minimal";
        none: "none";
        xhigh: "xhigh";
    }>>;
    continue_final_message: z.ZodOptional<z.ZodBoolean>;
    add_generation_prompt: z.ZodOptional<z.ZodBoolean>;
    stream: z.ZodOptional<z.ZodBoolean>;
    stream_options: z.ZodOptional<z.ZodObject<{
        include_usage: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        include_obfuscation: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>>;
    thinking_token_budget: z.ZodOptional<z.ZodInt32>;
    modalities: z.ZodOptional<z.ZodUnknown>;
    audio: z.ZodOptional<z.ZodUnknown>;
    functions: z.ZodOptional<z.ZodUnknown>;
    function_call: z.ZodOptional<z.ZodUnknown>;
    prediction: z.ZodOptional<z.ZodUnknown>;
    verbosity: z.ZodOptional<z.ZodUnknown>;
    web_search_options: z.ZodOptional<z.ZodUnknown>;
    user: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    metadata: z.ZodPipe<z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodString>>>, z.ZodTransform<undefined, Record<string, string> | null | undefined>>;
    moderation: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    store: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    service_tier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    safety_identifier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    prompt_cache_key: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    prompt_cache_options: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    prompt_cache_retention: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strict>;
export type ChatCompletionRequest = z.output<typeof chatCompletionSchema>;
export interface ParsedChatCompletion extends ModelRequest {
    /** If true, a stream ends with a chunk that reports the usage. */
    readonly includeUsage: boolean;
}
export declare function parseChatCompletion(request: ChatCompletionRequest, policies?: RequestPolicies): ParsedChatCompletion;
