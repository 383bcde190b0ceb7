import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import type { Tool } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { jsonObjectSchema, noEffect, toolName, unsupported } from "../fields.js";
import type { ServerToolField } from "../server-tools.js";
import { type CallRules, selectTools, type ToolChoice, toCallRules } from "../tool-choice.js";
import { protoEnum, protoList, protoObject } from "./proto-json.js";
import { toJsonSchema } from "./schema.js";

/** The fields of Gemini's requests that declare tools and restrict their calls. */

const BLOCKING: ReadonlySet<unknown> = new Set(["BLOCKING", "UNSPECIFIED"]);

const declaration = protoObject({
  name: toolName,
  description: z.string().optional(),
  parameters: acceptAsWritten(jsonObjectSchema).optional(),
  parametersJsonSchema: acceptAsWritten(jsonObjectSchema).optional(),
  response: noEffect,
  responseJsonSchema: noEffect,
  behavior: unsupported("behavior other than BLOCKING", (value) => BLOCKING.has(value)),
}).refine(({ parameters, parametersJsonSchema }) => parameters === undefined || parametersJsonSchema === undefined, {
  error: "must not have both parameters and parametersJsonSchema",
});

/** Tools that only Google's servers can run, by their field. */
const SERVER_TOOLS = {
  codeExecution: z.unknown().optional(),
  enterpriseWebSearch: z.unknown().optional(),
  exaAiSearch: z.unknown().optional(),
  fileSearch: z.unknown().optional(),
  googleMaps: z.unknown().optional(),
  googleSearch: z.unknown().optional(),
  googleSearchRetrieval: z.unknown().optional(),
  mcpServers: z.unknown().optional(),
  parallelAiSearch: z.unknown().optional(),
  retrieval: z.unknown().optional(),
  urlContext: z.unknown().optional(),
} as const;

const SERVER_TOOL_NAMES = Object.keys(SERVER_TOOLS) as (keyof typeof SERVER_TOOLS)[];

const tool = protoObject({
  functionDeclarations: protoList(listOf(declaration)).optional(),
  computerUse: unsupported("computerUse"),
  ...SERVER_TOOLS,
});

const callingConfig = protoObject({
  mode: protoEnum(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
  allowedFunctionNames: listOf(z.string()).optional(),
  streamFunctionCallArguments: unsupported("streamFunctionCallArguments: true", (value) => value === false),
});

/** The field that error messages about the tool choice name. */
const CHOICE_PARAM = "toolConfig.functionCallingConfig";

export const geminiToolFields = {
  tools: protoList(listOf(tool)).optional(),
  toolConfig: protoObject({
    functionCallingConfig: callingConfig.optional(),
    retrievalConfig: noEffect,
    includeServerSideToolInvocations: noEffect,
  }).optional(),
};

interface ToolFields {
  readonly tools?: readonly z.output<typeof tool>[] | undefined;
  readonly toolConfig?: { readonly functionCallingConfig?: z.output<typeof callingConfig> | undefined } | undefined;
}

type Declaration = z.output<typeof declaration>;

/** Returns the server-side tools that a request declares. */
export function listGeminiServerTools({ tools = [] }: ToolFields): ServerToolField[] {
  return tools.flatMap((each, i) =>
    SERVER_TOOL_NAMES.filter((name) => each[name] !== undefined).map((type) => ({
      param: `tools[${i}].${type}`,
      type,
    })),
  );
}

/** Returns the number of functions that a request declares. */
export function countFunctions({ tools = [] }: ToolFields): number {
  return tools.reduce((sum, { functionDeclarations = [] }) => sum + functionDeclarations.length, 0);
}

function listFunctions({ tools = [] }: ToolFields): Declaration[] {
  return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
}

/** Returns the functions that the prompt lists, in the shape that chat templates expect. */
export function listShownGeminiTools(request: ToolFields): readonly Tool[] {
  return selectTools(listFunctions(request).map(toTool), readGeminiToolChoice(request), CHOICE_PARAM);
}

function toTool({ name, description, parameters, parametersJsonSchema }: Declaration): Tool {
  const described = description === undefined ? {} : { description };
  const schema = parametersJsonSchema ?? (parameters ? toJsonSchema(parameters) : NO_PARAMETERS);
  return { type: "function", function: { name, ...described, parameters: schema } };
}

const NO_PARAMETERS = { type: "object", properties: {} };

/** Returns the choice between the functions; undefined if the request has none, or if only a server-side tool can be chosen. */
export function readGeminiToolChoice(request: ToolFields): ToolChoice | undefined {
  const { mode = "MODE_UNSPECIFIED", allowedFunctionNames: names = [] } = readConfig(request);
  const mustCall = mode === "ANY";
  if (names.length > 0 && (mustCall || mode === "VALIDATED")) {
    return { type: "allowed_tools", mode: mustCall ? "required" : "auto", names };
  }
  if (mustCall)
    return countFunctions(request) === 0 && listGeminiServerTools(request).length > 0 ? undefined : "required";
  if (mode === "NONE") return "none";
  return mode === "MODE_UNSPECIFIED" ? undefined : "auto";
}

/** Returns the allowed names of a request whose mode ignores them. */
export function findStrayNames(request: ToolFields): readonly string[] {
  const { mode, allowedFunctionNames: names = [] } = readConfig(request);
  return mode === "ANY" || mode === "VALIDATED" ? [] : names;
}

export const NAMES_PARAM = `${CHOICE_PARAM}.allowedFunctionNames`;

/**
 * With `VALIDATED`, the arguments of every call must match the schema of its function, as with strict tools of the other protocols.
 *
 * @param shown the functions that the prompt shows
 */
export function readGeminiCallRules(request: ToolFields, shown: readonly Tool[]): CallRules {
  const isValidated = readConfig(request).mode === "VALIDATED";
  return toCallRules({
    tools: shown,
    choice: readGeminiToolChoice(request),
    choiceParam: CHOICE_PARAM,
    single: undefined,
    strict: isValidated ? listFunctions(request) : [],
  });
}

function readConfig({ toolConfig }: ToolFields): Partial<z.output<typeof callingConfig>> {
  return toolConfig?.functionCallingConfig ?? {};
}
