import { z } from "zod";
import type { RecordedSampling } from "../session/recorded-sampling.js";
declare const wireTensor: z.ZodObject<{
    type: z.ZodLiteral<"tensor">;
    dtype: z.ZodEnum<{
        "torch.bool": "torch.bool";
        "torch.float32": "torch.float32";
        "torch.int32": "torch.int32";
    }>;
    shape: z.ZodArray<z.ZodInt>;
    data: z.ZodString;
}, z.core.$strip>;
/** Untrusted text in the shape of OpenAI's chat messages. */
declare const recordedMessage: z.ZodObject<{
    role: z.ZodString;
}, z.core.$loose>;
/** Older proxies answer without the optional fields. */
declare const wireInteraction: z.ZodObject<{
    interaction_id: z.ZodString;
    parent_id: z.ZodNullable<z.ZodString>;
    compacted_from: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    token_exact: z.ZodBoolean;
    reward: z.ZodNumber;
    own_reward: z.ZodNullable<z.ZodNumber>;
    api: z.ZodString;
    requested_model: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    dropped_tools: z.ZodOptional<z.ZodArray<z.ZodString>>;
    tools: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    tag: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    request_kind: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    agent_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    parent_agent_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    turn_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    placeholders: z.ZodOptional<z.ZodInt>;
    choice: z.ZodOptional<z.ZodInt>;
    choices: z.ZodOptional<z.ZodInt>;
    attempt: z.ZodOptional<z.ZodInt>;
    created_at: z.ZodNumber;
    latency: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    finish_reason: z.ZodString;
    cause: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    sampling: z.ZodOptional<z.ZodPipe<z.ZodObject<{
        temperature: z.ZodNumber;
        sampling_temperature: z.ZodNumber;
        greedy: z.ZodBoolean;
        top_p: z.ZodNumber;
        top_k: z.ZodNumber;
        min_p: z.ZodNumber;
        seed: z.ZodNullable<z.ZodNumber>;
        frequency_penalty: z.ZodNumber;
        presence_penalty: z.ZodNumber;
        repetition_penalty: z.ZodDefault<z.ZodNumber>;
        min_tokens: z.ZodDefault<z.ZodNumber>;
        ignore_eos: z.ZodDefault<z.ZodBoolean>;
        logit_bias: z.ZodDefault<z.ZodBoolean>;
        thinking_budget: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
        max_tokens: z.ZodNumber;
        grammar: z.ZodBoolean;
        logprob_content: z.ZodCatch<z.ZodEnum<{
            raw: "raw";
            temperature: "temperature";
            truncated: "truncated";
            unknown: "unknown";
        }>>;
        overridden: z.ZodBoolean;
    }, z.core.$strip>, z.ZodTransform<RecordedSampling, {
        temperature: number;
        sampling_temperature: number;
        greedy: boolean;
        top_p: number;
        top_k: number;
        min_p: number;
        seed: number | null;
        frequency_penalty: number;
        presence_penalty: number;
        repetition_penalty: number;
        min_tokens: number;
        ignore_eos: boolean;
        logit_bias: boolean;
        thinking_budget?: number | null | undefined;
        max_tokens: number;
        grammar: boolean;
        logprob_content: "raw" | "temperature" | "truncated" | "unknown";
        overridden: boolean;
    }>>>;
    prompt_tokens: z.ZodOptional<z.ZodInt>;
    completion_tokens: z.ZodOptional<z.ZodInt>;
    messages: z.ZodOptional<z.ZodArray<z.ZodObject<{
        role: z.ZodString;
    }, z.core.$loose>>>;
    output_message_list: z.ZodOptional<z.ZodArray<z.ZodObject<{
        role: z.ZodString;
    }, z.core.$loose>>>;
    tensor_dict: z.ZodObject<{
        input_ids: z.ZodObject<{
            type: z.ZodLiteral<"tensor">;
            dtype: z.ZodEnum<{
                "torch.bool": "torch.bool";
                "torch.float32": "torch.float32";
                "torch.int32": "torch.int32";
            }>;
            shape: z.ZodArray<z.ZodInt>;
            data: z.ZodString;
        }, z.core.$strip>;
        loss_mask: z.ZodObject<{
            type: z.ZodLiteral<"tensor">;
            dtype: z.ZodEnum<{
                "torch.bool": "torch.bool";
                "torch.float32": "torch.float32";
                "torch.int32": "torch.int32";
            }>;
            shape: z.ZodArray<z.ZodInt>;
            data: z.ZodString;
        }, z.core.$strip>;
        logprobs: z.ZodObject<{
            type: z.ZodLiteral<"tensor">;
            dtype: z.ZodEnum<{
                "torch.bool": "torch.bool";
                "torch.float32": "torch.float32";
                "torch.int32": "torch.int32";
            }>;
            shape: z.ZodArray<z.ZodInt>;
            data: z.ZodString;
        }, z.core.$strip>;
        versions: z.ZodObject<{
            type: z.ZodLiteral<"tensor">;
            dtype: z.ZodEnum<{
                "torch.bool": "torch.bool";
                "torch.float32": "torch.float32";
                "torch.int32": "torch.int32";
            }>;
            shape: z.ZodArray<z.ZodInt>;
            data: z.ZodString;
        }, z.core.$strip>;
        attention_mask: z.ZodObject<{
            type: z.ZodLiteral<"tensor">;
            dtype: z.ZodEnum<{
                "torch.bool": "torch.bool";
                "torch.float32": "torch.float32";
                "torch.int32": "torch.int32";
            }>;
            shape: z.ZodArray<z.ZodInt>;
            data: z.ZodString;
        }, z.core.$strip>;
        rewards: z.ZodObject<{
            type: z.ZodLiteral<"tensor">;
            dtype: z.ZodEnum<{
                "torch.bool": "torch.bool";
                "torch.float32": "torch.float32";
                "torch.int32": "torch.int32";
            }>;
            shape: z.ZodArray<z.ZodInt>;
            data: z.ZodString;
        }, z.core.$strip>;
    }, z.core.$strip>;
}, z.core.$strip>;
/** The JSON answer of /export_trajectories. */
export declare const trajectoriesReply: z.ZodObject<{
    session_id: z.ZodString;
    model: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    session_reward: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    rewards_missing: z.ZodBoolean;
    unrewarded_roots: z.ZodOptional<z.ZodArray<z.ZodString>>;
    uncounted_rewards: z.ZodOptional<z.ZodArray<z.ZodString>>;
    left_out: z.ZodOptional<z.ZodArray<z.ZodObject<{
        interaction_id: z.ZodString;
        reason: z.ZodString;
        parent_id: z.ZodNullable<z.ZodString>;
        created_at: z.ZodNumber;
        finish_reason: z.ZodString;
    }, z.core.$strip>>>;
    filtered: z.ZodOptional<z.ZodInt>;
    rewards_filtered: z.ZodOptional<z.ZodBoolean>;
    incomplete_calls: z.ZodInt;
    aborted_calls: z.ZodOptional<z.ZodInt>;
    interactions: z.ZodRecord<z.ZodString, z.ZodObject<{
        interaction_id: z.ZodString;
        parent_id: z.ZodNullable<z.ZodString>;
        compacted_from: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        token_exact: z.ZodBoolean;
        reward: z.ZodNumber;
        own_reward: z.ZodNullable<z.ZodNumber>;
        api: z.ZodString;
        requested_model: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        dropped_tools: z.ZodOptional<z.ZodArray<z.ZodString>>;
        tools: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
        tag: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        request_kind: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        agent_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        parent_agent_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        turn_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        placeholders: z.ZodOptional<z.ZodInt>;
        choice: z.ZodOptional<z.ZodInt>;
        choices: z.ZodOptional<z.ZodInt>;
        attempt: z.ZodOptional<z.ZodInt>;
        created_at: z.ZodNumber;
        latency: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
        finish_reason: z.ZodString;
        cause: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        sampling: z.ZodOptional<z.ZodPipe<z.ZodObject<{
            temperature: z.ZodNumber;
            sampling_temperature: z.ZodNumber;
            greedy: z.ZodBoolean;
            top_p: z.ZodNumber;
            top_k: z.ZodNumber;
            min_p: z.ZodNumber;
            seed: z.ZodNullable<z.ZodNumber>;
            frequency_penalty: z.ZodNumber;
            presence_penalty: z.ZodNumber;
            repetition_penalty: z.ZodDefault<z.ZodNumber>;
            min_tokens: z.ZodDefault<z.ZodNumber>;
            ignore_eos: z.ZodDefault<z.ZodBoolean>;
            logit_bias: z.ZodDefault<z.ZodBoolean>;
            thinking_budget: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
            max_tokens: z.ZodNumber;
            grammar: z.ZodBoolean;
            logprob_content: z.ZodCatch<z.ZodEnum<{
                raw: "raw";
                temperature: "temperature";
                truncated: "truncated";
                unknown: "unknown";
            }>>;
            overridden: z.ZodBoolean;
        }, z.core.$strip>, z.ZodTransform<RecordedSampling, {
            temperature: number;
            sampling_temperature: number;
            greedy: boolean;
            top_p: number;
            top_k: number;
            min_p: number;
            seed: number | null;
            frequency_penalty: number;
            presence_penalty: number;
            repetition_penalty: number;
            min_tokens: number;
            ignore_eos: boolean;
            logit_bias: boolean;
            thinking_budget?: number | null | undefined;
            max_tokens: number;
            grammar: boolean;
            logprob_content: "raw" | "temperature" | "truncated" | "unknown";
            overridden: boolean;
        }>>>;
        prompt_tokens: z.ZodOptional<z.ZodInt>;
        completion_tokens: z.ZodOptional<z.ZodInt>;
        messages: z.ZodOptional<z.ZodArray<z.ZodObject<{
            role: z.ZodString;
        }, z.core.$loose>>>;
        output_message_list: z.ZodOptional<z.ZodArray<z.ZodObject<{
            role: z.ZodString;
        }, z.core.$loose>>>;
        tensor_dict: z.ZodObject<{
            input_ids: z.ZodObject<{
                type: z.ZodLiteral<"tensor">;
                dtype: z.ZodEnum<{
                    "torch.bool": "torch.bool";
                    "torch.float32": "torch.float32";
                    "torch.int32": "torch.int32";
                }>;
                shape: z.ZodArray<z.ZodInt>;
                data: z.ZodString;
            }, z.core.$strip>;
            loss_mask: z.ZodObject<{
                type: z.ZodLiteral<"tensor">;
                dtype: z.ZodEnum<{
                    "torch.bool": "torch.bool";
                    "torch.float32": "torch.float32";
                    "torch.int32": "torch.int32";
                }>;
                shape: z.ZodArray<z.ZodInt>;
                data: z.ZodString;
            }, z.core.$strip>;
            logprobs: z.ZodObject<{
                type: z.ZodLiteral<"tensor">;
                dtype: z.ZodEnum<{
                    "torch.bool": "torch.bool";
                    "torch.float32": "torch.float32";
                    "torch.int32": "torch.int32";
                }>;
                shape: z.ZodArray<z.ZodInt>;
                data: z.ZodString;
            }, z.core.$strip>;
            versions: z.ZodObject<{
                type: z.ZodLiteral<"tensor">;
                dtype: z.ZodEnum<{
                    "torch.bool": "torch.bool";
                    "torch.float32": "torch.float32";
                    "torch.int32": "torch.int32";
                }>;
                shape: z.ZodArray<z.ZodInt>;
                data: z.ZodString;
            }, z.core.$strip>;
            attention_mask: z.ZodObject<{
                type: z.ZodLiteral<"tensor">;
                dtype: z.ZodEnum<{
                    "torch.bool": "torch.bool";
                    "torch.float32": "torch.float32";
                    "torch.int32": "torch.int32";
                }>;
                shape: z.ZodArray<z.ZodInt>;
                data: z.ZodString;
            }, z.core.$strip>;
            rewards: z.ZodObject<{
                type: z.ZodLiteral<"tensor">;
                dtype: z.ZodEnum<{
                    "torch.bool": "torch.bool";
                    "torch.float32": "torch.float32";
                    "torch.int32": "torch.int32";
                }>;
                shape: z.ZodArray<z.ZodInt>;
                data: z.ZodString;
            }, z.core.$strip>;
        }, z.core.$strip>;
    }, z.core.$strip>>;
}, z.core.$strip>;
export type TrajectoriesReply = z.output<typeof trajectoriesReply>;
export type RecordedMessage = Readonly<z.output<typeof recordedMessage>>;
export type WireTensor = z.output<typeof wireTensor>;
export type WireInteraction = z.output<typeof wireInteraction>;
export {};
