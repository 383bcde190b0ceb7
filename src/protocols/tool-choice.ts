import type { Tool } from "../conversation/message.js";
import { RequestError } from "./request-error.js";

/** Error messages show at most this many characters of an unknown tool's name. */
const MAX_SHOWN_NAME = 128;

/** The tools that the model may or must call, in the form of OpenAI's protocols. Other protocols are translated. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } }
  /** `auto`: the model may call these tools. `required`: it must call one of them. */
  | { readonly type: "allowed_tools"; readonly mode: "auto" | "required"; readonly names: readonly string[] };

/** The field of OpenAI's and Anthropic's requests that has the choice. */
const TOOL_CHOICE = "tool_choice";

/**
 * Selects the tools that the prompt shows: none for "none", only the named tool, only the allowed tools, or else all.
 *
 * @param param the request field that has the choice
 * @throws RequestError if the choice requires a call but there are no tools, or if it names an unknown tool
 */
export function selectTools(
  tools: readonly Tool[],
  choice: ToolChoice = "auto",
  param: string = TOOL_CHOICE,
): readonly Tool[] {
  if (choice === "none") return [];
  if (requiresCall(choice) && tools.length === 0) {
    throw new RequestError(param, `${param} requires a call, but tools is empty.`);
  }
  if (typeof choice === "string") return tools;
  // Sets, because an agent can name as many tools as a body holds.
  const names = new Set(choice.type === "function" ? [choice.function.name] : choice.names);
  const declared = new Set(tools.map((tool) => tool.function.name));
  const unknown = [...names].find((name) => !declared.has(name));
  if (unknown !== undefined) {
    const shown = unknown.slice(0, MAX_SHOWN_NAME);
    throw new RequestError(param, `${param} names the tool "${shown}", which is not in tools.`);
  }
  return tools.filter((tool) => names.has(tool.function.name));
}

/** Returns true if the answer must be a call. */
export function requiresCall(choice: ToolChoice = "auto"): boolean {
  if (typeof choice === "string") return choice === "required";
  return choice.type === "function" || choice.mode === "required";
}

/** Returns the choice in the form that chat templates expect. */
export function toTemplateChoice(choice: ToolChoice): unknown {
  return typeof choice === "object" && choice.type === "allowed_tools" ? choice.mode : choice;
}

/** Restrictions of a request on the calls in the answer. */
export interface CallRules {
  /** The request field that requires a call; undefined if none does. */
  readonly mustCall: string | undefined;
  /** The request field that limits the answer to one call; undefined if none does. */
  readonly single: string | undefined;
  /** Names of the tools whose arguments must match their schema. */
  readonly strict: ReadonlySet<string>;
}

/** The rules of a request without tools. */
export const NO_CALL_RULES: CallRules = { mustCall: undefined, single: undefined, strict: new Set() };

interface CallFields {
  /** The tools that the prompt shows. */
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice | undefined;
  /** The request field that has the choice. Default: `tool_choice`. */
  readonly choiceParam?: string;
  /** The request field that limits the answer to one call; undefined if none does. */
  readonly single: string | undefined;
  /** All strict tools, including those that the prompt does not show. */
  readonly strict: readonly { readonly name: string }[];
}

export function toCallRules({ tools, choice, choiceParam = TOOL_CHOICE, single, strict }: CallFields): CallRules {
  const shown = new Set(tools.map((tool) => tool.function.name));
  // A choice of one tool is a choice of one call, as OpenAI and Anthropic answer it.
  const isNamed = typeof choice === "object" && choice.type === "function";
  return {
    mustCall: shown.size > 0 && requiresCall(choice) ? choiceParam : undefined,
    single: shown.size > 0 ? (single ?? (isNamed ? choiceParam : undefined)) : undefined,
    strict: new Set(strict.map(({ name }) => name).filter((name) => shown.has(name))),
  };
}
