import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import type { Tool } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { isEmpty, jsonObjectSchema, noEffect, toolAccess, toolName, unsupported } from "../fields.js";
import { type CallRules, type ToolChoice, toCallRules } from "../tool-choice.js";

/** The fields of Anthropic's requests that declare tools and restrict their calls. */

const tool = z.object({
  type: z.literal("custom", { error: 'only tools of type "custom" are supported' }).nullish(),
  name: toolName,
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
  input_schema: acceptAsWritten(jsonObjectSchema),
  input_examples: unsupported("input_examples", isEmpty),
  eager_input_streaming: noEffect,
  cache_control: noEffect,
  ...toolAccess,
});

const SINGLE_CALL_PARAM = "tool_choice.disable_parallel_tool_use";
const noParallel = { disable_parallel_tool_use: z.boolean().nullish() };

const choice = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auto"), ...noParallel }),
  z.object({ type: z.literal("any"), ...noParallel }),
  z.object({ type: z.literal("tool"), name: z.string(), ...noParallel }),
  z.object({ type: z.literal("none") }),
]);

export const toolFields = { tools: listOf(tool).optional(), tool_choice: choice.optional() };

interface ToolFields {
  readonly tools?: readonly z.output<typeof tool>[] | undefined;
  readonly tool_choice?: z.output<typeof choice> | undefined;
}

/** Returns the tools in the shape that chat templates expect. */
export function toTools({ tools = [] }: ToolFields): Tool[] {
  return tools.map(({ name, description, input_schema }) => {
    const described = typeof description === "string" ? { description } : {};
    return { type: "function", function: { name, ...described, parameters: input_schema } };
  });
}

export function toToolChoice({ tool_choice: choice }: ToolFields): ToolChoice | undefined {
  if (choice?.type === "tool") return { type: "function", function: { name: choice.name } };
  return choice?.type === "any" ? "required" : choice?.type;
}

/** @param shown the tools that the prompt shows */
export function readCallRules(request: ToolFields, shown: readonly Tool[]): CallRules {
  const { tools = [], tool_choice: choice } = request;
  const isSingle = choice !== undefined && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use;
  return toCallRules({
    tools: shown,
    choice: toToolChoice(request),
    single: isSingle ? SINGLE_CALL_PARAM : undefined,
    strict: tools.filter(({ strict }) => strict === true),
  });
}
