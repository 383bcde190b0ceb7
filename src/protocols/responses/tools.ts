import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import type { Tool } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { jsonObjectSchema, noEffect, toolAccess, toolName } from "../fields.js";
import { type CallRules, type ToolChoice, toCallRules } from "../tool-choice.js";

/** The fields of OpenAI's responses API that declare tools and restrict their calls. */

const tool = z.object({
  type: z.literal("function", { error: "only function tools are supported" }),
  name: toolName,
  description: z.string().nullish(),
  parameters: acceptAsWritten(jsonObjectSchema.nullable()).optional(),
  strict: z.boolean().nullish(),
  output_schema: noEffect,
  ...toolAccess,
});

const choice = z.union([
  z.enum(["none", "auto", "required"]),
  z.object({ type: z.literal("function"), name: z.string() }),
  z.object({
    type: z.literal("allowed_tools"),
    mode: z.enum(["auto", "required"]),
    tools: listOf(z.object({ type: z.literal("function"), name: z.string() }), { min: 1 }),
  }),
]);

export const toolFields = {
  tools: listOf(tool).optional(),
  tool_choice: choice.optional(),
  parallel_tool_calls: z.boolean().optional(),
};

interface ToolFields {
  readonly tools?: readonly z.output<typeof tool>[] | undefined;
  readonly tool_choice?: z.output<typeof choice> | undefined;
  readonly parallel_tool_calls?: boolean | undefined;
}

/** Returns the tools in the shape that chat templates expect. */
export function toTools({ tools = [] }: ToolFields): Tool[] {
  return tools.map(({ type, name, description, parameters }) => {
    const described = description ? { description } : {};
    return { type, function: { name, ...described, parameters: parameters ?? { type: "object", properties: {} } } };
  });
}

export function toToolChoice({ tool_choice: choice }: ToolFields): ToolChoice | undefined {
  if (typeof choice !== "object") return choice;
  if (choice.type === "function") return { type: "function", function: { name: choice.name } };
  return { type: choice.type, mode: choice.mode, names: choice.tools.map(({ name }) => name) };
}

/** @param shown the tools that the prompt shows */
export function readCallRules(request: ToolFields, shown: readonly Tool[]): CallRules {
  return toCallRules({
    tools: shown,
    choice: toToolChoice(request),
    single: request.parallel_tool_calls === false ? "parallel_tool_calls" : undefined,
    strict: (request.tools ?? []).filter(({ strict }) => strict === true),
  });
}
