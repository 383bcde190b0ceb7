import { z } from "zod";
import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import type { ResponsesRequest } from "./request.js";
export declare const responseSchema: z.ZodObject<{
    id: z.ZodString;
    object: z.ZodLiteral<"response">;
    created_at: z.ZodInt;
    status: z.ZodEnum<{
        completed: "completed";
        failed: "failed";
        in_progress: "in_progress";
        incomplete: "incomplete";
    }>;
    model: z.ZodString;
    output: z.ZodArray<z.ZodDiscriminatedUnion<[z.ZodObject<{
        type: z.ZodLiteral<"message">;
        id: z.ZodString;
        role: z.ZodLiteral<"assistant">;
        status: z.ZodEnum<{
            completed: "completed";
            in_progress: "in_progress";
            incomplete: "incomplete";
        }>;
        content: z.ZodArray<z.ZodObject<{
            type: z.ZodLiteral<"output_text">;
            text: z.ZodString;
            annotations: z.ZodArray<z.ZodUnknown>;
            logprobs: z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>;
        }, z.core.$strip>>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"function_call">;
        id: z.ZodString;
        call_id: z.ZodString;
        name: z.ZodString;
        namespace: z.ZodOptional<z.ZodString>;
        arguments: z.ZodString;
        status: z.ZodEnum<{
            completed: "completed";
            in_progress: "in_progress";
            incomplete: "incomplete";
        }>;
    }, z.core.$strip>, z.ZodObject<{
        type: z.ZodLiteral<"reasoning">;
        id: z.ZodString;
        summary: z.ZodArray<z.ZodUnknown>;
        content: z.ZodArray<z.ZodObject<{
            type: z.ZodLiteral<"reasoning_text">;
            text: z.ZodString;
        }, z.core.$strip>>;
        encrypted_content: z.ZodString;
        status: z.ZodEnum<{
            completed: "completed";
            in_progress: "in_progress";
            incomplete: "incomplete";
        }>;
    }, z.core.$strip>], "type">>;
    usage: z.ZodNullable<z.ZodObject<{
        input_tokens: z.ZodInt;
        input_tokens_details: z.ZodObject<{
            cached_tokens: z.ZodInt;
        }, z.core.$strip>;
        output_tokens: z.ZodInt;
        output_tokens_details: z.ZodObject<{
            reasoning_tokens: z.ZodInt;
        }, z.core.$strip>;
        total_tokens: z.ZodInt;
    }, z.core.$strip>>;
    error: z.ZodNullable<z.ZodObject<{
        code: z.ZodString;
        message: z.ZodString;
    }, z.core.$strip>>;
    incomplete_details: z.ZodNullable<z.ZodObject<{
        reason: z.ZodLiteral<"max_output_tokens">;
    }, z.core.$strip>>;
    instructions: z.ZodNullable<z.ZodString>;
    previous_response_id: z.ZodNullable<z.ZodString>;
    max_output_tokens: z.ZodNullable<z.ZodInt>;
    metadata: z.ZodRecord<z.ZodString, z.ZodString>;
    parallel_tool_calls: z.ZodBoolean;
    reasoning: z.ZodObject<{
        effort: z.ZodNullable<z.ZodString>;
        summary: z.ZodNull;
    }, z.core.$strip>;
    store: z.ZodBoolean;
    temperature: z.ZodNumber;
    text: z.ZodObject<{
        format: z.ZodUnknown;
    }, z.core.$strip>;
    tool_choice: z.ZodUnknown;
    tools: z.ZodArray<z.ZodUnknown>;
    top_logprobs: z.ZodInt;
    top_p: z.ZodNumber;
    truncation: z.ZodLiteral<"disabled">;
}, z.core.$strip>;
export type ResponseBody = z.input<typeof responseSchema>;
/** The fields of a response that repeat its request. */
export type RequestEcho = Omit<ResponseBody, "id" | "object" | "created_at" | "status" | "model" | "output" | "usage" | "error" | "incomplete_details">;
export declare function toEcho(request: ResponsesRequest): RequestEcho;
/** Returns a response without output, with which a stream begins. */
export declare function emptyResponse({ interactionId, createdAt, model }: AnswerStart, echo: RequestEcho): ResponseBody;
export declare function toResponse(answer: GenerationAnswer, echo: RequestEcho): ResponseBody;
