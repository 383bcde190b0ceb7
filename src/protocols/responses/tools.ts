import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import type { Tool } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { byType } from "../by-type.js";
import { jsonObjectSchema, noEffect, toolAccess, toolName } from "../fields.js";
import { findServerTools, type ServerToolField, serverTool } from "../server-tools.js";
import { type CallRules, type ToolChoice, toCallRules } from "../tool-choice.js";
import { joinName, readNamespacedNames, requireDistinct } from "./namespaces.js";

/** The fields of OpenAI's responses API that declare tools and restrict their calls. */

const functionTool = z.object({
  type: z.literal("function", { error: "only function tools are supported" }),
  name: toolName,
  description: z.string().nullish(),
  parameters: acceptAsWritten(jsonObjectSchema.nullable()).optional(),
  strict: z.boolean().nullish(),
  output_schema: noEffect,
  ...toolAccess,
});

const namespaceTool = z.object({
  type: z.literal("namespace"),
  name: toolName,
  description: z.string().nullish(),
  tools: listOf(functionTool),
});

const tool = byType(
  { function: functionTool, namespace: namespaceTool },
  serverTool("function tools and namespaces of them"),
);

const named = z.object({ type: z.literal("function"), name: z.string(), namespace: z.string().nullish() });
/** A server-side tool, such as `{"type": "web_search"}`. */
const hosted = serverTool("function tools");

const choice = z.union([
  z.enum(["none", "auto", "required"]),
  byType(
    {
      function: named,
      allowed_tools: z.object({
        type: z.literal("allowed_tools"),
        mode: z.enum(["auto", "required"]),
        tools: listOf(byType({ function: named }, hosted), { min: 1 }),
      }),
    },
    hosted,
  ),
]);

export const responsesToolFields = {
  tools: listOf(tool).optional(),
  tool_choice: choice.optional(),
  parallel_tool_calls: z.boolean().optional(),
};

type FunctionTool = z.output<typeof functionTool>;
type NamespaceTool = z.output<typeof namespaceTool>;

interface ToolFields {
  readonly tools?: readonly z.output<typeof tool>[] | undefined;
  readonly tool_choice?: z.output<typeof choice> | undefined;
  readonly parallel_tool_calls?: boolean | undefined;
}

const isFunction = (value: { readonly type: string }): value is FunctionTool => value.type === "function";
const isNamespace = (value: { readonly type: string }): value is NamespaceTool => value.type === "namespace";

/** Returns the server-side tools that a request declares or chooses. */
export function listResponsesServerTools({ tools = [], tool_choice: wanted }: ToolFields): ServerToolField[] {
  const isHosted = typeof wanted === "object" && !isNamed(wanted) && !isAllowed(wanted);
  return [
    ...findServerTools(tools, (type) => type === "function" || type === "namespace"),
    ...(isHosted ? [{ param: "tool_choice", type: wanted.type }] : []),
  ];
}

/**
 * Returns the functions that the model may call, under the names that it is shown. The description of a namespace comes
 * before that of its first tool: chat templates have no other place for it.
 */
function listFunctions({ tools = [] }: ToolFields): FunctionTool[] {
  return tools.flatMap((declared): FunctionTool[] => {
    if (isFunction(declared)) return [declared];
    if (!isNamespace(declared)) return [];
    const { name: namespace, description: about } = declared;
    return declared.tools.map((member, i) => {
      const described = [i === 0 ? about : undefined, member.description].filter(Boolean).join("\n\n");
      return { ...member, name: joinName(namespace, member.name), description: described || undefined };
    });
  });
}

/**
 * Returns the tools in the shape that chat templates expect.
 *
 * @throws RequestError if a namespaced tool has the same name as another tool
 */
export function toTools(request: ToolFields): Tool[] {
  const functions = listFunctions(request);
  requireDistinct(
    functions.map(({ name }) => name),
    readNamespacedNames(request.tools ?? []),
  );
  return functions.map(({ type, name, description, parameters }) => {
    const described = description ? { description } : {};
    return { type, function: { name, ...described, parameters: parameters ?? { type: "object", properties: {} } } };
  });
}

/** Returns the choice between the tools that the model is shown; undefined if it chooses a server-side tool. */
export function readResponsesToolChoice(request: ToolFields): ToolChoice | undefined {
  const { tools = [], tool_choice: wanted } = request;
  if (wanted === "required" && tools.length > 0 && listFunctions(request).length === 0) return undefined;
  if (typeof wanted !== "object") return wanted;
  if (isNamed(wanted)) return { type: "function", function: { name: toShownName(wanted) } };
  if (!isAllowed(wanted)) return undefined;
  const names = wanted.tools.filter(isNamed).map(toShownName);
  return names.length === 0 ? "none" : { type: "allowed_tools", mode: wanted.mode, names };
}

type Named = z.output<typeof named>;
type Choice = { readonly type: string };
type Allowed = { readonly mode: "auto" | "required"; readonly tools: readonly Choice[] };

const isNamed = (value: Choice): value is Named => value.type === "function";
const isAllowed = (value: Choice): value is Choice & Allowed => value.type === "allowed_tools";
const toShownName = ({ namespace, name }: Named): string => joinName(namespace, name);

/** @param shown the tools that the prompt shows */
export function readResponsesCallRules(request: ToolFields, shown: readonly Tool[]): CallRules {
  return toCallRules({
    tools: shown,
    choice: readResponsesToolChoice(request),
    single: request.parallel_tool_calls === false ? "parallel_tool_calls" : undefined,
    strict: listFunctions(request).filter(({ strict }) => strict === true),
  });
}
