import { z } from "zod";
import { type AnswerStart, type GenerationAnswer } from "../generation-answer.js";
import { RawJson } from "../raw-json.js";
declare const part: z.ZodObject<{
    text: z.ZodOptional<z.ZodString>;
    thought: z.ZodOptional<z.ZodLiteral<true>>;
    functionCall: z.ZodOptional<z.ZodObject<{
        id: z.ZodString;
        name: z.ZodString;
        args: z.ZodUnknown;
    }, z.core.$strip>>;
    thoughtSignature: z.ZodOptional<z.ZodString>;
}, z.core.$strip>;
declare const candidate: z.ZodObject<{
    content: z.ZodObject<{
        role: z.ZodLiteral<"model">;
        parts: z.ZodArray<z.ZodObject<{
            text: z.ZodOptional<z.ZodString>;
            thought: z.ZodOptional<z.ZodLiteral<true>>;
            functionCall: z.ZodOptional<z.ZodObject<{
                id: z.ZodString;
                name: z.ZodString;
                args: z.ZodUnknown;
            }, z.core.$strip>>;
            thoughtSignature: z.ZodOptional<z.ZodString>;
        }, z.core.$strip>>;
    }, z.core.$strip>;
    finishReason: z.ZodOptional<z.ZodEnum<{
        MAX_TOKENS: "MAX_TOKENS";
        STOP: "STOP";
    }>>;
    index: z.ZodInt;
    interactionId: z.ZodOptional<z.ZodString>;
    avgLogprobs: z.ZodOptional<z.ZodNumber>;
    logprobsResult: z.ZodOptional<z.ZodObject<{
        chosenCandidates: z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>;
        topCandidates: z.ZodOptional<z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>>;
    }, z.core.$strip>>;
}, z.core.$strip>;
export declare const generateContentResponseSchema: z.ZodObject<{
    candidates: z.ZodArray<z.ZodObject<{
        content: z.ZodObject<{
            role: z.ZodLiteral<"model">;
            parts: z.ZodArray<z.ZodObject<{
                text: z.ZodOptional<z.ZodString>;
                thought: z.ZodOptional<z.ZodLiteral<true>>;
                functionCall: z.ZodOptional<z.ZodObject<{
                    id: z.ZodString;
                    name: z.ZodString;
                    args: z.ZodUnknown;
                }, z.core.$strip>>;
                thoughtSignature: z.ZodOptional<z.ZodString>;
            }, z.core.$strip>>;
        }, z.core.$strip>;
        finishReason: z.ZodOptional<z.ZodEnum<{
            MAX_TOKENS: "MAX_TOKENS";
            STOP: "STOP";
        }>>;
        index: z.ZodInt;
        interactionId: z.ZodOptional<z.ZodString>;
        avgLogprobs: z.ZodOptional<z.ZodNumber>;
        logprobsResult: z.ZodOptional<z.ZodObject<{
            chosenCandidates: z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>;
            topCandidates: z.ZodOptional<z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>>;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    usageMetadata: z.ZodOptional<z.ZodObject<{
        promptTokenCount: z.ZodInt;
        candidatesTokenCount: z.ZodInt;
        thoughtsTokenCount: z.ZodInt;
        cachedContentTokenCount: z.ZodInt;
        totalTokenCount: z.ZodInt;
    }, z.core.$strip>>;
    modelVersion: z.ZodString;
    responseId: z.ZodString;
}, z.core.$strip>;
export type GenerateContentResponse = z.input<typeof generateContentResponseSchema>;
export type ResponsePart = z.input<typeof part>;
export type Candidate = z.input<typeof candidate>;
/**
 * @param includeThoughts if true, the answer contains the reasoning
 * @param others the answers of the further candidates
 */
export declare function toGenerateContentResponse(answer: GenerationAnswer, includeThoughts: boolean, others?: readonly GenerationAnswer[]): GenerateContentResponse;
/** Returns a response with these candidates: a whole answer or a chunk of a stream. */
export declare function toResponse({ interactionId, model }: Pick<AnswerStart, "interactionId" | "model">, candidates: Candidate[], usageMetadata?: GenerateContentResponse["usageMetadata"]): GenerateContentResponse;
export declare function toCandidate(parts: ResponsePart[], index: number): Candidate;
export declare function toFinishReason({ finishReason: reason }: GenerationAnswer): "MAX_TOKENS" | "STOP";
/** Returns the usage of a call. The prompt counts once, however many candidates there are. */
export declare function sumUsage(answer: GenerationAnswer, others?: readonly GenerationAnswer[]): {
    promptTokenCount: number;
    candidatesTokenCount: number;
    thoughtsTokenCount: number;
    cachedContentTokenCount: number;
    totalTokenCount: number;
};
/** Returns a signed, empty text. It ends answers without text: some SDKs drop a turn whose content has no parts. */
export declare function endOfText(signature: string): ResponsePart;
export interface WrittenCall {
    readonly id: string;
    readonly name: string;
    /** JSON text. */
    readonly arguments: string;
}
export declare function toCallPart({ id, name, arguments: text }: WrittenCall, signature: string): ResponsePart;
/** Returns the arguments of a call as the model wrote them; undefined if they are incomplete. */
export declare function readArgs(text: string): RawJson | undefined;
export {};
