import { z } from "zod";
import type { Conversation } from "../../conversation/message.js";
import type { ModelRequest } from "../model-request.js";
import { type ReadReasoning } from "../reasoning-signature.js";
import type { RequestPolicies } from "../request-policies.js";
export declare const generateContentSchema: z.ZodPreprocess<z.ZodObject<{
    min_p: z.ZodOptional<z.ZodNumber>;
    repetition_penalty: z.ZodOptional<z.ZodNumber>;
    min_tokens: z.ZodOptional<z.ZodInt32>;
    ignore_eos: z.ZodOptional<z.ZodBoolean>;
    logit_bias: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodNumber>, z.ZodTransform<import("../request-sampling.js").TokenBias[], Record<string, number>>>>;
    stop_token_ids: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<number[], unknown[]>>>;
    chat_template_kwargs: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<Record<string, unknown>, Record<string, unknown>>>>;
    tools: z.ZodOptional<z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        codeExecution?: unknown;
        enterpriseWebSearch?: unknown;
        exaAiSearch?: unknown;
        fileSearch?: unknown;
        googleMaps?: unknown;
        googleSearch?: unknown;
        googleSearchRetrieval?: unknown;
        mcpServers?: unknown;
        parallelAiSearch?: unknown;
        retrieval?: unknown;
        urlContext?: unknown;
        functionDeclarations?: {
            name: string;
            description?: string | undefined;
            parameters?: Record<string, unknown> | undefined;
            parametersJsonSchema?: Record<string, unknown> | undefined;
            response?: undefined;
            responseJsonSchema?: undefined;
            behavior?: unknown;
        }[] | undefined;
        computerUse?: unknown;
    }[], unknown[]>>, unknown>>;
    toolConfig: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        functionCallingConfig: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
            mode: z.ZodOptional<z.ZodPreprocess<z.ZodEnum<{
                ANY: "ANY";
                AUTO: "AUTO";
                MODE_UNSPECIFIED: "MODE_UNSPECIFIED";
                NONE: "NONE";
                VALIDATED: "VALIDATED";
            }>, unknown>>;
            allowedFunctionNames: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
            streamFunctionCallArguments: z.ZodOptional<z.ZodUnknown>;
        }, z.core.$strict>, unknown>>;
        retrievalConfig: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        includeServerSideToolInvocations: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
    contents: z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        role: "model" | "user";
        parts?: {
            inlineData?: {
                mimeType?: string | undefined;
                data?: undefined;
                displayName?: undefined;
            } | undefined;
            fileData?: {
                mimeType?: string | undefined;
                fileUri?: undefined;
                displayName?: undefined;
            } | undefined;
            text?: string | undefined;
            functionCall?: {
                id?: string | undefined;
                name: string;
                args?: Record<string, unknown> | undefined;
                partialArgs?: unknown;
                willContinue?: unknown;
            } | undefined;
            functionResponse?: {
                id?: string | undefined;
                name: string;
                response?: Record<string, unknown> | undefined;
                parts?: {
                    inlineData?: {
                        mimeType?: string | undefined;
                        data?: undefined;
                        displayName?: undefined;
                    } | undefined;
                    fileData?: {
                        mimeType?: string | undefined;
                        fileUri?: undefined;
                        displayName?: undefined;
                    } | undefined;
                }[] | undefined;
                willContinue?: unknown;
                scheduling?: undefined;
            } | undefined;
            executableCode?: unknown;
            codeExecutionResult?: unknown;
            toolCall?: unknown;
            toolResponse?: unknown;
            audioTranscription?: unknown;
            thought?: boolean | undefined;
            thoughtSignature?: string | undefined;
            videoMetadata?: undefined;
            mediaResolution?: undefined;
            mediaProcessing?: undefined;
            speechMetadata?: undefined;
            partMetadata?: undefined;
        }[] | undefined;
    }[], unknown[]>>, unknown>;
    systemInstruction: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        role: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        parts: z.ZodOptional<z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
            inlineData?: {
                mimeType?: string | undefined;
                data?: undefined;
                displayName?: undefined;
            } | undefined;
            fileData?: {
                mimeType?: string | undefined;
                fileUri?: undefined;
                displayName?: undefined;
            } | undefined;
            text?: string | undefined;
            functionCall?: {
                id?: string | undefined;
                name: string;
                args?: Record<string, unknown> | undefined;
                partialArgs?: unknown;
                willContinue?: unknown;
            } | undefined;
            functionResponse?: {
                id?: string | undefined;
                name: string;
                response?: Record<string, unknown> | undefined;
                parts?: {
                    inlineData?: {
                        mimeType?: string | undefined;
                        data?: undefined;
                        displayName?: undefined;
                    } | undefined;
                    fileData?: {
                        mimeType?: string | undefined;
                        fileUri?: undefined;
                        displayName?: undefined;
                    } | undefined;
                }[] | undefined;
                willContinue?: unknown;
                scheduling?: undefined;
            } | undefined;
            executableCode?: unknown;
            codeExecutionResult?: unknown;
            toolCall?: unknown;
            toolResponse?: unknown;
            audioTranscription?: unknown;
            thought?: boolean | undefined;
            thoughtSignature?: string | undefined;
            videoMetadata?: undefined;
            mediaResolution?: undefined;
            mediaProcessing?: undefined;
            speechMetadata?: undefined;
            partMetadata?: undefined;
        }[], unknown[]>>, unknown>>;
    }, z.core.$strict>, unknown>>;
    generationConfig: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
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
    }, z.core.$strict>, unknown>>;
    cachedContent: z.ZodOptional<z.ZodUnknown>;
    continuationToken: z.ZodOptional<z.ZodUnknown>;
    generationOutputConfig: z.ZodOptional<z.ZodUnknown>;
    model: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<undefined, string>>>;
    safetySettings: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        category: string;
        threshold: string;
        method?: string | undefined;
    }[], unknown[]>>, z.ZodTransform<undefined, {
        category: string;
        threshold: string;
        method?: string | undefined;
    }[]>>>;
    labels: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodString>, z.ZodTransform<undefined, Record<string, string>>>>;
    serviceTier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    store: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    modelArmorConfig: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strict>, unknown>;
export type GenerateContentRequest = z.output<typeof generateContentSchema>;
export declare const countTokensSchema: z.ZodPreprocess<z.ZodObject<{
    contents: z.ZodOptional<z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        role: "model" | "user";
        parts?: {
            inlineData?: {
                mimeType?: string | undefined;
                data?: undefined;
                displayName?: undefined;
            } | undefined;
            fileData?: {
                mimeType?: string | undefined;
                fileUri?: undefined;
                displayName?: undefined;
            } | undefined;
            text?: string | undefined;
            functionCall?: {
                id?: string | undefined;
                name: string;
                args?: Record<string, unknown> | undefined;
                partialArgs?: unknown;
                willContinue?: unknown;
            } | undefined;
            functionResponse?: {
                id?: string | undefined;
                name: string;
                response?: Record<string, unknown> | undefined;
                parts?: {
                    inlineData?: {
                        mimeType?: string | undefined;
                        data?: undefined;
                        displayName?: undefined;
                    } | undefined;
                    fileData?: {
                        mimeType?: string | undefined;
                        fileUri?: undefined;
                        displayName?: undefined;
                    } | undefined;
                }[] | undefined;
                willContinue?: unknown;
                scheduling?: undefined;
            } | undefined;
            executableCode?: unknown;
            codeExecutionResult?: unknown;
            toolCall?: unknown;
            toolResponse?: unknown;
            audioTranscription?: unknown;
            thought?: boolean | undefined;
            thoughtSignature?: string | undefined;
            videoMetadata?: undefined;
            mediaResolution?: undefined;
            mediaProcessing?: undefined;
            speechMetadata?: undefined;
            partMetadata?: undefined;
        }[] | undefined;
    }[], unknown[]>>, unknown>>;
    generateContentRequest: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        min_p: z.ZodOptional<z.ZodNumber>;
        repetition_penalty: z.ZodOptional<z.ZodNumber>;
        min_tokens: z.ZodOptional<z.ZodInt32>;
        ignore_eos: z.ZodOptional<z.ZodBoolean>;
        logit_bias: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodNumber>, z.ZodTransform<import("../request-sampling.js").TokenBias[], Record<string, number>>>>;
        stop_token_ids: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<number[], unknown[]>>>;
        chat_template_kwargs: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<Record<string, unknown>, Record<string, unknown>>>>;
        tools: z.ZodOptional<z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
            codeExecution?: unknown;
            enterpriseWebSearch?: unknown;
            exaAiSearch?: unknown;
            fileSearch?: unknown;
            googleMaps?: unknown;
            googleSearch?: unknown;
            googleSearchRetrieval?: unknown;
            mcpServers?: unknown;
            parallelAiSearch?: unknown;
            retrieval?: unknown;
            urlContext?: unknown;
            functionDeclarations?: {
                name: string;
                description?: string | undefined;
                parameters?: Record<string, unknown> | undefined;
                parametersJsonSchema?: Record<string, unknown> | undefined;
                response?: undefined;
                responseJsonSchema?: undefined;
                behavior?: unknown;
            }[] | undefined;
            computerUse?: unknown;
        }[], unknown[]>>, unknown>>;
        toolConfig: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
            functionCallingConfig: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
                mode: z.ZodOptional<z.ZodPreprocess<z.ZodEnum<{
                    ANY: "ANY";
                    AUTO: "AUTO";
                    MODE_UNSPECIFIED: "MODE_UNSPECIFIED";
                    NONE: "NONE";
                    VALIDATED: "VALIDATED";
                }>, unknown>>;
                allowedFunctionNames: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
                streamFunctionCallArguments: z.ZodOptional<z.ZodUnknown>;
            }, z.core.$strict>, unknown>>;
            retrievalConfig: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
            includeServerSideToolInvocations: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        }, z.core.$strict>, unknown>>;
        contents: z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
            role: "model" | "user";
            parts?: {
                inlineData?: {
                    mimeType?: string | undefined;
                    data?: undefined;
                    displayName?: undefined;
                } | undefined;
                fileData?: {
                    mimeType?: string | undefined;
                    fileUri?: undefined;
                    displayName?: undefined;
                } | undefined;
                text?: string | undefined;
                functionCall?: {
                    id?: string | undefined;
                    name: string;
                    args?: Record<string, unknown> | undefined;
                    partialArgs?: unknown;
                    willContinue?: unknown;
                } | undefined;
                functionResponse?: {
                    id?: string | undefined;
                    name: string;
                    response?: Record<string, unknown> | undefined;
                    parts?: {
                        inlineData?: {
                            mimeType?: string | undefined;
                            data?: undefined;
                            displayName?: undefined;
                        } | undefined;
                        fileData?: {
                            mimeType?: string | undefined;
                            fileUri?: undefined;
                            displayName?: undefined;
                        } | undefined;
                    }[] | undefined;
                    willContinue?: unknown;
                    scheduling?: undefined;
                } | undefined;
                executableCode?: unknown;
                codeExecutionResult?: unknown;
                toolCall?: unknown;
                toolResponse?: unknown;
                audioTranscription?: unknown;
                thought?: boolean | undefined;
                thoughtSignature?: string | undefined;
                videoMetadata?: undefined;
                mediaResolution?: undefined;
                mediaProcessing?: undefined;
                speechMetadata?: undefined;
                partMetadata?: undefined;
            }[] | undefined;
        }[], unknown[]>>, unknown>;
        systemInstruction: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
            role: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
            parts: z.ZodOptional<z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
                inlineData?: {
                    mimeType?: string | undefined;
                    data?: undefined;
                    displayName?: undefined;
                } | undefined;
                fileData?: {
                    mimeType?: string | undefined;
                    fileUri?: undefined;
                    displayName?: undefined;
                } | undefined;
                text?: string | undefined;
                functionCall?: {
                    id?: string | undefined;
                    name: string;
                    args?: Record<string, unknown> | undefined;
                    partialArgs?: unknown;
                    willContinue?: unknown;
                } | undefined;
                functionResponse?: {
                    id?: string | undefined;
                    name: string;
                    response?: Record<string, unknown> | undefined;
                    parts?: {
                        inlineData?: {
                            mimeType?: string | undefined;
                            data?: undefined;
                            displayName?: undefined;
                        } | undefined;
                        fileData?: {
                            mimeType?: string | undefined;
                            fileUri?: undefined;
                            displayName?: undefined;
                        } | undefined;
                    }[] | undefined;
                    willContinue?: unknown;
                    scheduling?: undefined;
                } | undefined;
                executableCode?: unknown;
                codeExecutionResult?: unknown;
                toolCall?: unknown;
                toolResponse?: unknown;
                audioTranscription?: unknown;
                thought?: boolean | undefined;
                thoughtSignature?: string | undefined;
                videoMetadata?: undefined;
                mediaResolution?: undefined;
                mediaProcessing?: undefined;
                speechMetadata?: undefined;
                partMetadata?: undefined;
            }[], unknown[]>>, unknown>>;
        }, z.core.$strict>, unknown>>;
        generationConfig: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
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
        }, z.core.$strict>, unknown>>;
        cachedContent: z.ZodOptional<z.ZodUnknown>;
        continuationToken: z.ZodOptional<z.ZodUnknown>;
        generationOutputConfig: z.ZodOptional<z.ZodUnknown>;
        model: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<undefined, string>>>;
        safetySettings: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
            category: string;
            threshold: string;
            method?: string | undefined;
        }[], unknown[]>>, z.ZodTransform<undefined, {
            category: string;
            threshold: string;
            method?: string | undefined;
        }[]>>>;
        labels: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodString>, z.ZodTransform<undefined, Record<string, string>>>>;
        serviceTier: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        store: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        modelArmorConfig: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
    model: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<undefined, string>>>;
}, z.core.$strict>, unknown>;
export type CountTokensRequest = z.output<typeof countTokensSchema>;
/** The policies for a request, and its values outside of the body. */
export interface RequestContext extends RequestPolicies {
    /** The model that the path names. */
    readonly model: string;
    readonly stream: boolean;
    readonly readReasoning?: ReadReasoning;
}
export interface ParsedGenerateContent extends ModelRequest {
    /** If true, the answer contains the reasoning. */
    readonly includeThoughts: boolean;
}
export declare function parseGenerateContent(request: GenerateContentRequest, context: RequestContext): ParsedGenerateContent;
/** @throws RequestError for a part or a tool that a policy refuses */
export declare function applyPolicies(request: GenerateContentRequest, { serverTools, images }: RequestPolicies): Pick<ModelRequest, "droppedTools" | "placeholders">;
/** Returns the whole request whose tokens are counted. */
export declare function toCountedRequest({ contents: own, generateContentRequest: whole }: CountTokensRequest): {
    min_p?: number | undefined;
    repetition_penalty?: number | undefined;
    min_tokens?: number | undefined;
    ignore_eos?: boolean | undefined;
    logit_bias?: import("../request-sampling.js").TokenBias[] | undefined;
    stop_token_ids?: number[] | undefined;
    chat_template_kwargs?: Record<string, unknown> | undefined;
    tools?: {
        codeExecution?: unknown;
        enterpriseWebSearch?: unknown;
        exaAiSearch?: unknown;
        fileSearch?: unknown;
        googleMaps?: unknown;
        googleSearch?: unknown;
        googleSearchRetrieval?: unknown;
        mcpServers?: unknown;
        parallelAiSearch?: unknown;
        retrieval?: unknown;
        urlContext?: unknown;
        functionDeclarations?: {
            name: string;
            description?: string | undefined;
            parameters?: Record<string, unknown> | undefined;
            parametersJsonSchema?: Record<string, unknown> | undefined;
            response?: undefined;
            responseJsonSchema?: undefined;
            behavior?: unknown;
        }[] | undefined;
        computerUse?: unknown;
    }[] | undefined;
    toolConfig?: {
        functionCallingConfig?: {
            mode?: "ANY" | "AUTO" | "MODE_UNSPECIFIED" | "NONE" | "VALIDATED" | undefined;
            allowedFunctionNames?: string[] | undefined;
            streamFunctionCallArguments?: unknown;
        } | undefined;
        retrievalConfig?: undefined;
        includeServerSideToolInvocations?: undefined;
    } | undefined;
    contents: {
        role: "model" | "user";
        parts?: {
            inlineData?: {
                mimeType?: string | undefined;
                data?: undefined;
                displayName?: undefined;
            } | undefined;
            fileData?: {
                mimeType?: string | undefined;
                fileUri?: undefined;
                displayName?: undefined;
            } | undefined;
            text?: string | undefined;
            functionCall?: {
                id?: string | undefined;
                name: string;
                args?: Record<string, unknown> | undefined;
                partialArgs?: unknown;
                willContinue?: unknown;
            } | undefined;
            functionResponse?: {
                id?: string | undefined;
                name: string;
                response?: Record<string, unknown> | undefined;
                parts?: {
                    inlineData?: {
                        mimeType?: string | undefined;
                        data?: undefined;
                        displayName?: undefined;
                    } | undefined;
                    fileData?: {
                        mimeType?: string | undefined;
                        fileUri?: undefined;
                        displayName?: undefined;
                    } | undefined;
                }[] | undefined;
                willContinue?: unknown;
                scheduling?: undefined;
            } | undefined;
            executableCode?: unknown;
            codeExecutionResult?: unknown;
            toolCall?: unknown;
            toolResponse?: unknown;
            audioTranscription?: unknown;
            thought?: boolean | undefined;
            thoughtSignature?: string | undefined;
            videoMetadata?: undefined;
            mediaResolution?: undefined;
            mediaProcessing?: undefined;
            speechMetadata?: undefined;
            partMetadata?: undefined;
        }[] | undefined;
    }[];
    systemInstruction?: {
        role?: undefined;
        parts?: {
            inlineData?: {
                mimeType?: string | undefined;
                data?: undefined;
                displayName?: undefined;
            } | undefined;
            fileData?: {
                mimeType?: string | undefined;
                fileUri?: undefined;
                displayName?: undefined;
            } | undefined;
            text?: string | undefined;
            functionCall?: {
                id?: string | undefined;
                name: string;
                args?: Record<string, unknown> | undefined;
                partialArgs?: unknown;
                willContinue?: unknown;
            } | undefined;
            functionResponse?: {
                id?: string | undefined;
                name: string;
                response?: Record<string, unknown> | undefined;
                parts?: {
                    inlineData?: {
                        mimeType?: string | undefined;
                        data?: undefined;
                        displayName?: undefined;
                    } | undefined;
                    fileData?: {
                        mimeType?: string | undefined;
                        fileUri?: undefined;
                        displayName?: undefined;
                    } | undefined;
                }[] | undefined;
                willContinue?: unknown;
                scheduling?: undefined;
            } | undefined;
            executableCode?: unknown;
            codeExecutionResult?: unknown;
            toolCall?: unknown;
            toolResponse?: unknown;
            audioTranscription?: unknown;
            thought?: boolean | undefined;
            thoughtSignature?: string | undefined;
            videoMetadata?: undefined;
            mediaResolution?: undefined;
            mediaProcessing?: undefined;
            speechMetadata?: undefined;
            partMetadata?: undefined;
        }[] | undefined;
    } | undefined;
    generationConfig?: {
        temperature?: number | undefined;
        topP?: number | undefined;
        topK?: number | undefined;
        maxOutputTokens?: number | undefined;
        stopSequences?: string[] | undefined;
        seed?: number | undefined;
        presencePenalty?: number | undefined;
        frequencyPenalty?: number | undefined;
        candidateCount?: number | undefined;
        responseLogprobs?: boolean | undefined;
        logprobs?: number | undefined;
        responseMimeType?: "application/json" | "text/plain" | undefined;
        responseSchema?: Record<string, unknown> | undefined;
        responseJsonSchema?: Record<string, unknown> | undefined;
        _responseJsonSchema?: Record<string, unknown> | undefined;
        thinkingConfig?: {
            includeThoughts?: boolean | undefined;
            thinkingBudget?: number | undefined;
            thinkingLevel?: "HIGH" | "LOW" | "MEDIUM" | "MINIMAL" | "THINKING_LEVEL_UNSPECIFIED" | undefined;
        } | undefined;
        responseModalities?: unknown;
        responseFormat?: unknown;
        speechConfig?: unknown;
        imageConfig?: unknown;
        translationConfig?: unknown;
        enableAffectiveDialog?: unknown;
        audioTranscriptionConfig?: undefined;
        audioTimestamp?: undefined;
        mediaResolution?: undefined;
        modelSelectionConfig?: undefined;
        routingConfig?: undefined;
        enableEnhancedCivicAnswers?: undefined;
    } | undefined;
    cachedContent?: unknown;
    continuationToken?: unknown;
    generationOutputConfig?: unknown;
    model?: undefined;
    safetySettings?: undefined;
    labels?: undefined;
    serviceTier?: undefined;
    store?: undefined;
    modelArmorConfig?: undefined;
};
export declare function toConversation(request: GenerateContentRequest, readReasoning?: ReadReasoning): Conversation;
