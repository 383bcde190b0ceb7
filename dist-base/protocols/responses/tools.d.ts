import { z } from "zod";
import type { Tool } from "../../conversation/message.js";
import { type ServerToolField } from "../server-tools.js";
import { type CallRules, type ToolChoice } from "../tool-choice.js";
declare const tool: z.ZodPipe<z.ZodUnknown, z.ZodTransform<{
    [x: string]: unknown;
    type: string;
    execution?: unknown;
} | {
    allowed_callers?: unknown;
    defer_loading?: unknown;
    type: "function";
    name: string;
    description?: string | null | undefined;
    parameters?: Record<string, unknown> | null | undefined;
    strict?: boolean | null | undefined;
    output_schema?: undefined;
} | {
    type: "namespace";
    name: string;
    description?: string | null | undefined;
    tools: {
        allowed_callers?: unknown;
        defer_loading?: unknown;
        type: "function";
        name: string;
        description?: string | null | undefined;
        parameters?: Record<string, unknown> | null | undefined;
        strict?: boolean | null | undefined;
        output_schema?: undefined;
    }[];
}, unknown>>;
declare const choice: z.ZodUnion<readonly [z.ZodEnum<{
    auto: "auto";
    none: "none";
    required: "required";
}>, z.ZodPipe<z.ZodUnknown, z.ZodTransform<{
    [x: string]: unknown;
    type: string;
    execution?: unknown;
} | {
    type: "function";
    name: string;
    namespace?: string | null | undefined;
} | {
    type: "allowed_tools";
    mode: "auto" | "required";
    tools: ({
        [x: string]: unknown;
        type: string;
        execution?: unknown;
    } | {
        type: "function";
        name: string;
        namespace?: string | null | undefined;
    })[];
}, unknown>>]>;
export declare const toolFields: {
    tools: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        [x: string]: unknown;
        type: string;
        execution?: unknown;
    } | {
        allowed_callers?: unknown;
        defer_loading?: unknown;
        type: "function";
        name: string;
        description?: string | null | undefined;
        parameters?: Record<string, unknown> | null | undefined;
        strict?: boolean | null | undefined;
        output_schema?: undefined;
    } | {
        type: "namespace";
        name: string;
        description?: string | null | undefined;
        tools: {
            allowed_callers?: unknown;
            defer_loading?: unknown;
            type: "function";
            name: string;
            description?: string | null | undefined;
            parameters?: Record<string, unknown> | null | undefined;
            strict?: boolean | null | undefined;
            output_schema?: undefined;
        }[];
    })[], unknown[]>>>;
    tool_choice: z.ZodOptional<z.ZodUnion<readonly [z.ZodEnum<{
        auto: "auto";
        none: "none";
        required: "required";
    }>, z.ZodPipe<z.ZodUnknown, z.ZodTransform<{
        [x: string]: unknown;
        type: string;
        execution?: unknown;
    } | {
        type: "function";
        name: string;
        namespace?: string | null | undefined;
    } | {
        type: "allowed_tools";
        mode: "auto" | "required";
        tools: ({
            [x: string]: unknown;
            type: string;
            execution?: unknown;
        } | {
            type: "function";
            name: string;
            namespace?: string | null | undefined;
        })[];
    }, unknown>>]>>;
    parallel_tool_calls: z.ZodOptional<z.ZodBoolean>;
};
interface ToolFields {
    readonly tools?: readonly z.output<typeof tool>[] | undefined;
    readonly tool_choice?: z.output<typeof choice> | undefined;
    readonly parallel_tool_calls?: boolean | undefined;
}
/** Returns the server-side tools that a request declares or chooses. */
export declare function listServerTools({ tools, tool_choice: wanted }: ToolFields): ServerToolField[];
/**
 * Returns the tools in the shape that chat templates expect.
 *
 * @throws RequestError if a namespaced tool has the same name as another tool
 */
export declare function toTools(request: ToolFields): Tool[];
/** Returns the choice between the tools that the model is shown; undefined if it chooses a server-side tool. */
export declare function toToolChoice(request: ToolFields): ToolChoice | undefined;
/** @param shown the tools that the prompt shows */
export declare function readCallRules(request: ToolFields, shown: readonly Tool[]): CallRules;
export {};
