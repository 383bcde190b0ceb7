import type { Tool } from "../../../conversation/message.js";
import { member } from "../tools/argument-values.js";
import { ANY_TEXT, type Format, json, optional, sequence, type TagFormat, tag } from "./format.js";
import { type Parameter, parametersOf } from "./parameters.js";

/** How a family writes calls, as far as an engine can be told to write them so. */
export interface CallStructure {
  /** What a call, or a section of calls, begins with. None where an answer may begin alike. */
  readonly trigger?: string;
  readonly section?: { readonly begin: string; readonly end: string };
  /** What stands between two calls, or what each begins with where nothing stands between them. */
  readonly list: { readonly separator: string } | { readonly opener: string };
  readonly call: (tool: Tool) => TagFormat;
}

/** One call behind another, or only one. */
export function calls(structure: CallStructure, tools: readonly Tool[], single: boolean): Format {
  const { section } = structure;
  const list = listOf(structure, tools.map(structure.call), single);
  return section ? tag(section.begin, list, section.end) : list;
}

/** Text in which calls may stand. Undefined where the engine could not tell a call from an answer. */
export function textWithCalls(structure: CallStructure, tools: readonly Tool[], single: boolean): Format | undefined {
  const { trigger, section } = structure;
  if (trigger === undefined) return undefined;
  const made = tools.map(structure.call);
  const tags = section ? [tag(section.begin, listOf(structure, made, single), section.end)] : made;
  return { type: "triggered_tags", triggers: [trigger], tags, at_least_one: false, stop_after_first: single };
}

/** xgrammar knows no empty separator: there, text may come behind a call, which models do not write. */
function listOf({ list }: CallStructure, tags: readonly TagFormat[], single: boolean): Format {
  const some = { tags, at_least_one: true, stop_after_first: single };
  if ("opener" in list) return { type: "triggered_tags", triggers: [list.opener], ...some };
  return { type: "tags_with_separator", separator: list.separator, ...some };
}

/** The JSON object of a tool's arguments. */
export function jsonArguments({ function: called }: Tool): Format {
  const schema = member(called, "parameters");
  return json(typeof schema === "object" && schema !== null ? schema : { type: "object" });
}

/**
 * The arguments of a tool, each written by `write`, in the order of its schema; any text where the schema lists none.
 *
 * @param between what may stand before the first, between two, and behind the last
 */
export function writtenArguments(tool: Tool, write: (parameter: Parameter) => Format, between: readonly Format[] = []) {
  const parameters = parametersOf(tool);
  if (parameters === undefined) return ANY_TEXT;
  const written = parameters.map((parameter) => {
    const format = sequence([...between, write(parameter)]);
    return parameter.isRequired ? format : optional(format);
  });
  return sequence([...written, ...between]);
}

/** Text where the parameter may be one, else JSON. */
export const valueOf = ({ text, json: value }: Parameter): Format => text ?? value ?? ANY_TEXT;
