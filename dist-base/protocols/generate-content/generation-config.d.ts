import { z } from "zod";
import { type OutputStructure, type RequestSampling } from "../request-sampling.js";
export declare const generationConfig: z.ZodPreprocess<z.ZodObject<{
    temperature: z.ZodOptional<z.ZodNumber>;
    topP: z.ZodOptional<z.ZodNumber>;
    topK: z.ZodOptional<z.ZodInt32>;
    maxOutputTokens: z.ZodOptional<z.ZodInt32>;
    stopSequences: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    seed: z.ZodOptional<z.ZodInt>;
    presencePenalty: z.ZodOptional<z.ZodNumber>;
    frequencyPenalty: z.ZodOptional<z.ZodNumber>;
    candidateCount: z.ZodOptional<z.ZodInt32>;
    responseLogprobs: z.ZodOptional<z.ZodBoolean>;
    logprobs: z.ZodOptional<z.ZodInt32>;
    responseMimeType: z.ZodOptional<z.ZodEnum<{
        "application/json": "application/json";
        "text/plain": "text/plain";
    }>>;
    responseSchema: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
    responseJsonSchema: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
    _responseJsonSchema: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
    thinkingConfig: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        includeThoughts: z.ZodOptional<z.ZodBoolean>;
        thinkingBudget: z.ZodOptional<z.ZodInt32>;
        thinkingLevel: z.ZodOptional<z.ZodPreprocess<z.ZodEnum<{
            HIGH: "HIGH";
            LOW: "LOW";
            MEDIUM: "MEDIUM";
            MINIMAL: "MINIMAL";
            THINKING_LEVEL_UNSPECIFIED: "THINKING_LEVEL_UNSPECIFIED";
        }>, unknown>>;
    }, z.core.$strict>, unknown>>;
    responseModalities: z.ZodOptional<z.ZodUnknown>;
    responseFormat: z.ZodOptional<z.ZodUnknown>;
    speechConfig: z.ZodOptional<z.ZodUnknown>;
    imageConfig: z.ZodOptional<z.ZodUnknown>;
    translationConfig: z.ZodOptional<z.ZodUnknown>;
    enableAffectiveDialog: z.ZodOptional<z.ZodUnknown>;
    audioTranscriptionConfig: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    audioTimestamp: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    mediaResolution: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    modelSelectionConfig: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    routingConfig: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    enableEnhancedCivicAnswers: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strict>, unknown>;
export type GenerationConfig = z.output<typeof generationConfig>;
/** @throws RequestError if fields contradict each other */
export declare function checkGenerationConfig(config: GenerationConfig): void;
export declare function toSampling(config: GenerationConfig): RequestSampling;
/** Returns the schema that the answer must match; undefined if the request asks for text. */
export declare function readStructure(config: GenerationConfig): OutputStructure | undefined;
/** Returns the variables of the chat template that turn reasoning on or off and set its amount. */
export declare function toThinkingArgs({ thinkingConfig: wanted }: GenerationConfig): Record<string, unknown>;
