import { z } from "zod";
import type { Tool } from "../../conversation/message.js";
import { type ServerToolField } from "../server-tools.js";
import { type CallRules, type ToolChoice } from "../tool-choice.js";
/** The fields of Anthropic's requests that declare tools and restrict their calls. */
export declare const customTool: z.ZodObject<{
    type: z.ZodOptional<z.ZodNullable<z.ZodLiteral<"custom">>>;
    name: z.ZodString;
    description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    strict: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
    input_schema: z.ZodPipe<z.ZodUnknown, z.ZodTransform<Record<string, unknown>, unknown>>;
    input_examples: z.ZodOptional<z.ZodUnknown>;
    allowed_callers: z.ZodOptional<z.ZodUnknown>;
    defer_loading: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
    eager_input_streaming: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    cache_control: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strip>;
declare const tool: z.ZodPipe<z.ZodUnknown, z.ZodTransform<{
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
}, unknown>>;
declare const choice: z.ZodDiscriminatedUnion<[z.ZodObject<{
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
}, z.core.$strip>], "type">;
export declare const toolFields: {
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
};
export type CustomTool = z.output<typeof customTool>;
interface ToolFields {
    readonly tools?: readonly z.output<typeof tool>[] | undefined;
    readonly tool_choice?: z.output<typeof choice> | undefined;
    readonly mcp_servers?: readonly unknown[] | null | undefined;
}
/** Returns the server-side tools that a request declares. */
export declare function listServerTools({ tools, mcp_servers: servers }: ToolFields): ServerToolField[];
/** Returns the client's own tools. */
export declare function listTools({ tools }: ToolFields): CustomTool[];
/** Returns a tool in the shape that chat templates expect. */
export declare function toTool({ name, description, input_schema }: CustomTool): Tool;
/**
 * Returns the tools that the prompt lists. A deferred tool is listed only if the choice names it: the messages have its
 * definition, if they refer to it.
 */
export declare function listShownTools(request: ToolFields): readonly Tool[];
/** Returns the choice between the client's own tools; undefined if it can only be a server-side tool. */
export declare function toToolChoice(request: ToolFields): ToolChoice | undefined;
/** @param shown the tools that the prompt shows */
export declare function readCallRules(request: ToolFields, shown: readonly Tool[]): CallRules;
export {};
