import type { Tool } from "../conversation/message.js";
import { RequestError } from "./request-error.js";

/** Which tools the model may or must call: as OpenAI's protocols spell it; others are translated. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } }
  /** Of these tools any, or one of them. */
  | { readonly type: "allowed_tools"; readonly mode: "auto" | "required"; readonly names: readonly string[] };

/** The tools that the prompt shows: none under "none", one where one is named, those that are allowed. */
export function shownTools(tools: readonly Tool[], choice: ToolChoice = "auto"): readonly Tool[] {
  if (choice === "none") return [];
  if (demandsCall(choice) && tools.length === 0) {
    throw new RequestError("tool_choice", "tool_choice asks for a call, and there are no tools.");
  }
  if (typeof choice === "string") return tools;
  const names = choice.type === "function" ? [choice.function.name] : choice.names;
  const unknown = names.find((name) => !tools.some((each) => each.function.name === name));
  if (unknown !== undefined) throw new RequestError("tool_choice", `There is no tool "${unknown}".`);
  return tools.filter((each) => names.includes(each.function.name));
}

/** Whether the answer is to be a call. */
export function demandsCall(choice: ToolChoice = "auto"): boolean {
  if (typeof choice === "string") return choice === "required";
  return choice.type === "function" || choice.mode === "required";
}

/** The choice as chat templates know it. */
export function templateChoice(choice: ToolChoice): unknown {
  return typeof choice === "object" && choice.type === "allowed_tools" ? choice.mode : choice;
}

/** What a request says of the calls that the answer makes, beside the tools that there are. */
export interface CallRules {
  /** The field that asks for a call. */
  readonly mustCall: string | undefined;
  /** The field that allows no more than one call. */
  readonly single: string | undefined;
  /** Names of the tools whose arguments are to follow their schema. */
  readonly strict: ReadonlySet<string>;
}

interface CallFields {
  /** The tools that the prompt shows. */
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice | undefined;
  /** The field that allows no more than one call, if it does. */
  readonly single: string | undefined;
  /** The tools that are strict, shown or not. */
  readonly strict: readonly { readonly name: string }[];
}

export function toCallRules({ tools, choice, single, strict }: CallFields): CallRules {
  const shown = new Set(tools.map((tool) => tool.function.name));
  return {
    mustCall: shown.size > 0 && demandsCall(choice) ? "tool_choice" : undefined,
    single: shown.size > 0 ? single : undefined,
    strict: new Set(strict.map(({ name }) => name).filter((name) => shown.has(name))),
  };
}
