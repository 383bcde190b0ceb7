import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import type { Tool } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { byType } from "../by-type.js";
import { isEmpty, jsonObjectSchema, noEffect, toolAccess, toolName, unsupported } from "../fields.js";
import { findServerTools, type ServerToolField, serverTool } from "../server-tools.js";
import { type CallRules, selectTools, type ToolChoice, toCallRules } from "../tool-choice.js";

/** The fields of Anthropic's requests that declare tools and restrict their calls. */

export const customTool = z.object({
  type: z.literal("custom").nullish(),
  name: toolName,
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
  input_schema: acceptAsWritten(jsonObjectSchema),
  input_examples: unsupported("input_examples", isEmpty),
  allowed_callers: toolAccess.allowed_callers,
  defer_loading: z.boolean().nullish(),
  eager_input_streaming: noEffect,
  cache_control: noEffect,
});

const tool = byType({ custom: customTool, "": customTool }, serverTool('tools of type "custom"'));

const SINGLE_CALL_PARAM = "tool_choice.disable_parallel_tool_use";
const noParallel = { disable_parallel_tool_use: z.boolean().nullish() };

const choice = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auto"), ...noParallel }),
  z.object({ type: z.literal("any"), ...noParallel }),
  z.object({ type: z.literal("tool"), name: z.string(), ...noParallel }),
  z.object({ type: z.literal("none") }),
]);

export const anthropicToolFields = {
  tools: listOf(tool).optional(),
  tool_choice: choice.optional(),
  mcp_servers: z.array(z.unknown()).nullish(),
};

export type CustomTool = z.output<typeof customTool>;

interface ToolFields {
  readonly tools?: readonly z.output<typeof tool>[] | undefined;
  readonly tool_choice?: z.output<typeof choice> | undefined;
  readonly mcp_servers?: readonly unknown[] | null | undefined;
}

const isCustom = (value: { readonly type?: string | null | undefined }): value is CustomTool =>
  typeof value.type !== "string" || value.type === "custom";

/** Returns the server-side tools that a request declares. */
export function listAnthropicServerTools({ tools = [], mcp_servers: servers }: ToolFields): ServerToolField[] {
  const declared = findServerTools(tools, (type) => type === "custom");
  return servers?.length ? [...declared, { param: "mcp_servers", type: "mcp_servers" }] : declared;
}

/** Returns the client's own tools. */
export function listTools({ tools = [] }: ToolFields): CustomTool[] {
  return tools.filter(isCustom);
}

/** Returns a tool in the shape that chat templates expect. */
export function toTool({ name, description, input_schema }: CustomTool): Tool {
  const described = typeof description === "string" ? { description } : {};
  return { type: "function", function: { name, ...described, parameters: input_schema } };
}

/**
 * Returns the tools that the prompt lists. A deferred tool is listed only if the choice names it: the messages have its
 * definition, if they refer to it.
 */
export function listShownAnthropicTools(request: ToolFields): readonly Tool[] {
  const declared = listTools(request);
  const choice = readAnthropicToolChoice(request);
  const isNamed = typeof choice === "object";
  return selectTools(declared.filter((each) => isNamed || each.defer_loading !== true).map(toTool), choice);
}

/** Returns the choice between the client's own tools; undefined if it can only be a server-side tool. */
export function readAnthropicToolChoice(request: ToolFields): ToolChoice | undefined {
  const { tools = [], tool_choice: wanted } = request;
  if (wanted?.type === "any") return tools.length > 0 && listTools(request).length === 0 ? undefined : "required";
  if (wanted?.type !== "tool") return wanted?.type;
  const isServerTool = tools.some((each) => !isCustom(each) && each["name"] === wanted.name);
  return isServerTool ? undefined : { type: "function", function: { name: wanted.name } };
}

/** @param shown the tools that the prompt shows */
export function readAnthropicCallRules(request: ToolFields, shown: readonly Tool[]): CallRules {
  const { tool_choice: wanted } = request;
  const isSingle = wanted !== undefined && "disable_parallel_tool_use" in wanted && wanted.disable_parallel_tool_use;
  return toCallRules({
    tools: shown,
    choice: readAnthropicToolChoice(request),
    single: isSingle ? SINGLE_CALL_PARAM : undefined,
    strict: listTools(request).filter(({ strict }) => strict === true),
  });
}
