import { z } from "zod";
import { type GenerationAnswer } from "../generation-answer.js";
declare const usage: z.ZodObject<{
    prompt_tokens: z.ZodInt;
    completion_tokens: z.ZodInt;
    total_tokens: z.ZodInt;
    prompt_tokens_details: z.ZodObject<{
        cached_tokens: z.ZodInt;
    }, z.core.$strip>;
    completion_tokens_details: z.ZodObject<{
        reasoning_tokens: z.ZodInt;
    }, z.core.$strip>;
}, z.core.$strip>;
export declare const chatCompletionResponseSchema: z.ZodObject<{
    id: z.ZodString;
    object: z.ZodLiteral<"chat.completion">;
    created: z.ZodInt;
    model: z.ZodString;
    choices: z.ZodArray<z.ZodObject<{
        index: z.ZodInt;
        interaction_id: z.ZodString;
        message: z.ZodObject<{
            role: z.ZodLiteral<"assistant">;
            content: z.ZodNullable<z.ZodString>;
            refusal: z.ZodNull;
        }, z.core.$loose>;
        finish_reason: z.ZodEnum<{
            length: "length";
            stop: "stop";
            tool_calls: "tool_calls";
        }>;
        logprobs: z.ZodNullable<z.ZodObject<{
            content: z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>;
            refusal: z.ZodNull;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    usage: z.ZodObject<{
        prompt_tokens: z.ZodInt;
        completion_tokens: z.ZodInt;
        total_tokens: z.ZodInt;
        prompt_tokens_details: z.ZodObject<{
            cached_tokens: z.ZodInt;
        }, z.core.$strip>;
        completion_tokens_details: z.ZodObject<{
            reasoning_tokens: z.ZodInt;
        }, z.core.$strip>;
    }, z.core.$strip>;
}, z.core.$strip>;
export type ChatCompletionResponse = z.input<typeof chatCompletionResponseSchema>;
/** @param others the answers of the further choices */
export declare function toChatCompletion(answer: GenerationAnswer, others?: readonly GenerationAnswer[]): ChatCompletionResponse;
/** Returns the usage of a call. Like in OpenAI's API, the prompt counts once, however many choices there are. */
export declare function sumUsage(answer: GenerationAnswer, others?: readonly GenerationAnswer[]): z.input<typeof usage>;
export {};
