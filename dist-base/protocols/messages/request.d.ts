import { z } from "zod";
import type { Conversation } from "../../conversation/message.js";
import type { ModelRequest } from "../model-request.js";
import { type ReadReasoning } from "../reasoning-signature.js";
import type { RequestPolicies } from "../request-policies.js";
import { type OutputStructure } from "../request-sampling.js";
export declare const countTokensSchema: z.ZodObject<{
    tools: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        [x: string]: unknown;
        type: string;
        execution?: unknown;
    } | {
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
    })[], unknown[]>>>;
    tool_choice: z.ZodOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
        disable_parallel_tool_use: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        type: z.ZodLiteral<"auto">;
    }, z.core.$strip>, z.ZodObject<{
        disable_parallel_tool_use: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        type: z.ZodLiteral<"any">;
    }, z.core.$strip>, z.ZodObject<{
        disable_parallel_tool_use: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        type: z.ZodLiteral<"tool">;
        name: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"none">;
    }, z.core.$strip>], "type">>;
    mcp_servers: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodUnknown>>>;
    model: z.ZodOptional<z.ZodString>;
    messages: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
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
    system: z.ZodOptional<z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    }[], unknown[]>>]>>;
    thinking: z.ZodOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"enabled">;
        budget_tokens: z.ZodInt32;
        display: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"adaptive">;
        display: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"between_tools">;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"disabled">;
    }, z.core.$strip>], "type">>;
    output_config: z.ZodOptional<z.ZodObject<{
        effort: z.ZodOptional<z.ZodNullable<z.ZodEnum<{
            high: "high";
            low: "low";
            max: "max";
            medium: "medium";
            minimal: "minimal";
            none: "none";
            xhigh: "xhigh";
        }>>>;
        format: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodObject<{
            type: z.ZodLiteral<"json_schema">;
            schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
        }, z.core.$strip>, z.ZodTransform<OutputStructure | undefined, {
            type: "json_schema";
            schema: Record<string, unknown>;
        }>>>>;
        task_budget: z.ZodOptional<z.ZodUnknown>;
    }, z.core.$strict>>;
    output_format: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodObject<{
        type: z.ZodLiteral<"json_schema">;
        schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
    }, z.core.$strip>, z.ZodTransform<OutputStructure | undefined, {
        type: "json_schema";
        schema: Record<string, unknown>;
    }>>>>;
    chat_template_kwargs: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<Record<string, unknown>, Record<string, unknown>>>>;
    thread: z.ZodOptional<z.ZodUnknown>;
    container: z.ZodOptional<z.ZodUnknown>;
    context_management: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<number | undefined, unknown>>>;
    compaction: z.ZodOptional<z.ZodUnknown>;
    cache_control: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    billing_policy: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    fallback_credit_token: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    fallbacks: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    metadata: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    service_tier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    speed: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    inference_geo: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    diagnostics: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    user_profile_id: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    workspace_id: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    betas: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    safeguards: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strict>;
export declare const messagesSchema: z.ZodObject<{
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
    })[], unknown[]>>>;
    tool_choice: z.ZodOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
        disable_parallel_tool_use: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        type: z.ZodLiteral<"auto">;
    }, z.core.$strip>, z.ZodObject<{
        disable_parallel_tool_use: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        type: z.ZodLiteral<"any">;
    }, z.core.$strip>, z.ZodObject<{
        disable_parallel_tool_use: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        type: z.ZodLiteral<"tool">;
        name: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"none">;
    }, z.core.$strip>], "type">>;
    mcp_servers: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodUnknown>>>;
    model: z.ZodOptional<z.ZodString>;
    messages: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
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
    system: z.ZodOptional<z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        type: "text";
        text: string;
        cache_control?: undefined;
        citations?: undefined;
    }[], unknown[]>>]>>;
    thinking: z.ZodOptional<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"enabled">;
        budget_tokens: z.ZodInt32;
        display: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"adaptive">;
        display: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"between_tools">;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"disabled">;
    }, z.core.$strip>], "type">>;
    output_config: z.ZodOptional<z.ZodObject<{
        effort: z.ZodOptional<z.ZodNullable<z.ZodEnum<{
            high: "high";
            low: "low";
            max: "max";
            medium: "medium";
            minimal: "minimal";
            none: "none";
            xhigh: "xhigh";
        }>>>;
        format: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodObject<{
            type: z.ZodLiteral<"json_schema">;
            schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
        }, z.core.$strip>, z.ZodTransform<OutputStructure | undefined, {
            type: "json_schema";
            schema: Record<string, unknown>;
        }>>>>;
        task_budget: z.ZodOptional<z.ZodUnknown>;
    }, z.core.$strict>>;
    output_format: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodObject<{
        type: z.ZodLiteral<"json_schema">;
        schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
    }, z.core.$strip>, z.ZodTransform<OutputStructure | undefined, {
        type: "json_schema";
        schema: Record<string, unknown>;
    }>>>>;
    thread: z.ZodOptional<z.ZodUnknown>;
    container: z.ZodOptional<z.ZodUnknown>;
    context_management: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<number | undefined, unknown>>>;
    compaction: z.ZodOptional<z.ZodUnknown>;
    cache_control: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    billing_policy: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    fallback_credit_token: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    fallbacks: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    metadata: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    service_tier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    speed: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    inference_geo: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    diagnostics: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    user_profile_id: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    workspace_id: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    betas: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    safeguards: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    max_tokens: z.ZodInt32;
    temperature: z.ZodOptional<z.ZodNumber>;
    top_p: z.ZodOptional<z.ZodNumber>;
    top_k: z.ZodOptional<z.ZodInt32>;
    stop_sequences: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    stream: z.ZodOptional<z.ZodBoolean>;
}, z.core.$strict>;
export type CountTokensRequest = z.output<typeof countTokensSchema>;
export type MessagesRequest = z.output<typeof messagesSchema>;
/** The policies for a request, and its values outside of the body. */
export interface RequestContext extends RequestPolicies {
    readonly readReasoning?: ReadReasoning;
}
export declare function parseMessages(request: MessagesRequest, context?: RequestContext): ModelRequest;
/**
 * Returns what the prompt leaves out or shows as placeholders.
 *
 * @throws RequestError if the configuration refuses it
 */
export declare function applyPolicies(request: CountTokensRequest, { serverTools, images }: RequestPolicies): Pick<ModelRequest, "droppedTools" | "placeholders">;
export declare function toConversation(request: CountTokensRequest, readReasoning?: ReadReasoning): Conversation;
