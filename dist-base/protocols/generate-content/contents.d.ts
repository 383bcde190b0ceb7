import { z } from "zod";
declare const partFields: z.ZodPreprocess<z.ZodObject<{
    inlineData: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        mimeType: z.ZodOptional<z.ZodString>;
        data: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        displayName: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
    fileData: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        mimeType: z.ZodOptional<z.ZodString>;
        fileUri: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        displayName: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
    text: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>;
    functionCall: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        id: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>;
        name: z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodString>;
        args: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<Record<string, unknown>, unknown>>>;
        partialArgs: z.ZodOptional<z.ZodUnknown>;
        willContinue: z.ZodOptional<z.ZodUnknown>;
    }, z.core.$strict>, unknown>>;
    functionResponse: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        id: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>;
        name: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
        response: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<Record<string, unknown>, unknown>>>;
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
        }[], unknown[]>>, unknown>>;
        willContinue: z.ZodOptional<z.ZodUnknown>;
        scheduling: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
    executableCode: z.ZodOptional<z.ZodUnknown>;
    codeExecutionResult: z.ZodOptional<z.ZodUnknown>;
    toolCall: z.ZodOptional<z.ZodUnknown>;
    toolResponse: z.ZodOptional<z.ZodUnknown>;
    audioTranscription: z.ZodOptional<z.ZodUnknown>;
    thought: z.ZodOptional<z.ZodBoolean>;
    thoughtSignature: z.ZodOptional<z.ZodString>;
    videoMetadata: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    mediaResolution: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    mediaProcessing: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    speechMetadata: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    partMetadata: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strict>, unknown>;
export type Part = z.output<typeof partFields>;
declare const content: z.ZodPreprocess<z.ZodObject<{
    role: z.ZodPipe<z.ZodOptional<z.ZodPreprocess<z.ZodEnum<{
        FUNCTION: "FUNCTION";
        MODEL: "MODEL";
        USER: "USER";
    }>, unknown>>, z.ZodTransform<"model" | "user", "FUNCTION" | "MODEL" | "USER" | undefined>>;
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
}, z.core.$strict>, unknown>;
export declare const contents: z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
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
export type Content = z.output<typeof content>;
/** The parts of the system instruction. Its role has no effect. */
export declare const systemInstruction: z.ZodPreprocess<z.ZodObject<{
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
}, z.core.$strict>, unknown>;
export type SystemInstruction = z.output<typeof systemInstruction>;
export {};
