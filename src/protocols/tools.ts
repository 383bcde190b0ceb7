import type { Tool } from "../conversation/message.js";
import { RequestError } from "./request-error.js";

/** Which tools the model may or must call: as OpenAI's protocols spell it; others are translated. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The tools that the prompt shows: none under "none", one where one is named. */
export function shownTools(tools: readonly Tool[], choice: ToolChoice = "auto"): readonly Tool[] {
  if (choice === "none") return [];
  if (choice === "required" && tools.length === 0) {
    throw new RequestError("tool_choice", "tool_choice asks for a call, and there are no tools.");
  }
  if (typeof choice === "string") return tools;
  const named = tools.filter((each) => each.function.name === choice.function.name);
  if (named.length === 0) throw new RequestError("tool_choice", `There is no tool "${choice.function.name}".`);
  return named;
}
