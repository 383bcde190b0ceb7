import { z } from "zod";
import { asGiven } from "../../conversation/as-given.js";
import type { Tool } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { isEmpty, jsonObject, noEffect, toolAccess, toolName, unsupported } from "../fields.js";
import { type CallRules, type ToolChoice, toCallRules } from "../tools.js";

/** Tools of Anthropic's requests, and what is said of their calls. */

const tool = z.object({
  type: z.literal("custom", { error: "only tools of the client's own are supported" }).nullish(),
  name: toolName,
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
  input_schema: asGiven(jsonObject),
  input_examples: unsupported("input_examples", isEmpty),
  eager_input_streaming: noEffect,
  cache_control: noEffect,
  ...toolAccess,
});

const SINGLE = "tool_choice.disable_parallel_tool_use";
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

/** The tools as chat templates know them. */
export function toTools({ tools = [] }: ToolFields): Tool[] {
  return tools.map(({ name, description, input_schema }) => {
    const described = typeof description === "string" ? { description } : {};
    return { type: "function", function: { name, ...described, parameters: input_schema } };
  });
}

export function toToolChoice({ tool_choice: given }: ToolFields): ToolChoice | undefined {
  if (given?.type === "tool") return { type: "function", function: { name: given.name } };
  return given?.type === "any" ? "required" : given?.type;
}

/** @param shown the tools that the prompt shows */
export function callRules(request: ToolFields, shown: readonly Tool[]): CallRules {
  const { tools = [], tool_choice: given } = request;
  const isSingle = given !== undefined && "disable_parallel_tool_use" in given && given.disable_parallel_tool_use;
  return toCallRules({
    tools: shown,
    choice: toToolChoice(request),
    single: isSingle ? SINGLE : undefined,
    strict: tools.filter(({ strict }) => strict === true),
  });
}
