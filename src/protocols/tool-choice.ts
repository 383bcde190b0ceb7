import type { Tool } from "../conversation/message.js";
import { RequestError } from "./request-error.js";

/** The tools that the model may or must call, in the form of OpenAI's protocols. Other protocols are translated. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } }
  /** `auto`: the model may call these tools. `required`: it must call one of them. */
  | { readonly type: "allowed_tools"; readonly mode: "auto" | "required"; readonly names: readonly string[] };

/**
 * Selects the tools that the prompt shows: none for "none", only the named tool, only the allowed tools, or else all.
 *
 * @throws RequestError if the choice requires a call but there are no tools, or if it names an unknown tool
 */
export function selectTools(tools: readonly Tool[], choice: ToolChoice = "auto"): readonly Tool[] {
  if (choice === "none") return [];
  if (requiresCall(choice) && tools.length === 0) {
    throw new RequestError("tool_choice", "tool_choice requires a call, but tools is empty.");
  }
  if (typeof choice === "string") return tools;
  const names = choice.type === "function" ? [choice.function.name] : choice.names;
  const unknown = names.find((name) => !tools.some((tool) => tool.function.name === name));
  if (unknown !== undefined) {
    throw new RequestError("tool_choice", `tool_choice names the tool "${unknown}", which is not in tools.`);
  }
  return tools.filter((tool) => names.includes(tool.function.name));
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

interface CallFields {
  /** The tools that the prompt shows. */
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice | undefined;
  /** The request field that limits the answer to one call; undefined if none does. */
  readonly single: string | undefined;
  /** All strict tools, including those that the prompt does not show. */
  readonly strict: readonly { readonly name: string }[];
}

export function toCallRules({ tools, choice, single, strict }: CallFields): CallRules {
  const shown = new Set(tools.map((tool) => tool.function.name));
  return {
    mustCall: shown.size > 0 && requiresCall(choice) ? "tool_choice" : undefined,
    single: shown.size > 0 ? single : undefined,
    strict: new Set(strict.map(({ name }) => name).filter((name) => shown.has(name))),
  };
}
