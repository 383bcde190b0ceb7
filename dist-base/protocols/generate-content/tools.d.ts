import { z } from "zod";
import type { Tool } from "../../conversation/message.js";
import type { ServerToolField } from "../server-tools.js";
import { type CallRules, type ToolChoice } from "../tool-choice.js";
declare const tool: z.ZodPreprocess<z.ZodObject<{
    codeExecution: z.ZodOptional<z.ZodUnknown>;
    enterpriseWebSearch: z.ZodOptional<z.ZodUnknown>;
    exaAiSearch: z.ZodOptional<z.ZodUnknown>;
    fileSearch: z.ZodOptional<z.ZodUnknown>;
    googleMaps: z.ZodOptional<z.ZodUnknown>;
    googleSearch: z.ZodOptional<z.ZodUnknown>;
    googleSearchRetrieval: z.ZodOptional<z.ZodUnknown>;
    mcpServers: z.ZodOptional<z.ZodUnknown>;
    parallelAiSearch: z.ZodOptional<z.ZodUnknown>;
    retrieval: z.ZodOptional<z.ZodUnknown>;
    urlContext: z.ZodOptional<z.ZodUnknown>;
    functionDeclarations: z.ZodOptional<z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        name: string;
        description?: string | undefined;
        parameters?: Record<string, unknown> | undefined;
        parametersJsonSchema?: Record<string, unknown> | undefined;
        response?: undefined;
        responseJsonSchema?: undefined;
        behavior?: unknown;
    }[], unknown[]>>, unknown>>;
    computerUse: z.ZodOptional<z.ZodUnknown>;
}, z.core.$strict>, unknown>;
declare const callingConfig: z.ZodPreprocess<z.ZodObject<{
    mode: z.ZodOptional<z.ZodPreprocess<z.ZodEnum<{
        ANY: "ANY";
        AUTO: "AUTO";
        MODE_UNSPECIFIED: "MODE_UNSPECIFIED";
        NONE: "NONE";
        VALIDATED: "VALIDATED";
    }>, unknown>>;
    allowedFunctionNames: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    streamFunctionCallArguments: z.ZodOptional<z.ZodUnknown>;
}, z.core.$strict>, unknown>;
export declare const toolFields: {
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
};
interface ToolFields {
    readonly tools?: readonly z.output<typeof tool>[] | undefined;
    readonly toolConfig?: {
        readonly functionCallingConfig?: z.output<typeof callingConfig> | undefined;
    } | undefined;
}
/** Returns the server-side tools that a request declares. */
export declare function listServerTools({ tools }: ToolFields): ServerToolField[];
/** Returns the number of functions that a request declares. */
export declare function countFunctions({ tools }: ToolFields): number;
/** Returns the functions that the prompt lists, in the shape that chat templates expect. */
export declare function listShownTools(request: ToolFields): readonly Tool[];
/** Returns the choice between the functions; undefined if the request has none, or if only a server-side tool can be chosen. */
export declare function toToolChoice(request: ToolFields): ToolChoice | undefined;
/** Returns the allowed names of a request whose mode ignores them. */
export declare function findStrayNames(request: ToolFields): readonly string[];
export declare const NAMES_PARAM = "toolConfig.functionCallingConfig.allowedFunctionNames";
/**
 * With `VALIDATED`, the arguments of every call must match the schema of its function, as with strict tools of the other protocols.
 *
 * @param shown the functions that the prompt shows
 */
export declare function readCallRules(request: ToolFields, shown: readonly Tool[]): CallRules;
export {};
