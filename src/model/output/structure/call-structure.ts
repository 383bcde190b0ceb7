import type { Tool } from "../../../conversation/message.js";
import { member } from "../tool-schema.js";
import { ANY_TEXT, type Format, json, optional, sequence, type TagFormat, tag } from "./format.js";
import { listParameters, type Parameter } from "./parameters.js";

/** How models of a family write calls, as far as an engine's grammar can describe it. */
export interface CallStructure {
  /** The text with which a call or a section of calls begins. Undefined if an answer may begin the same way. */
  readonly trigger?: string;
  readonly section?: { readonly begin: string; readonly end: string };
  /** The separator between two calls, or if there is none, the text with which each call begins. */
  readonly list: { readonly separator: string } | { readonly opener: string };
  readonly describeCall: (tool: Tool) => TagFormat;
}

/** Describes a list of calls, or only one call. */
export function describeCalls(structure: CallStructure, tools: readonly Tool[], single: boolean): Format {
  const { section } = structure;
  const list = describeList(structure, tools.map(structure.describeCall), single);
  return section ? tag(section.begin, list, section.end) : list;
}

/** Describes text that may contain calls. Undefined if an engine could not distinguish calls from text. */
export function describeTextWithCalls(
  structure: CallStructure,
  tools: readonly Tool[],
  single: boolean,
): Format | undefined {
  const { trigger, section } = structure;
  if (trigger === undefined) return undefined;
  const calls = tools.map(structure.describeCall);
  const tags = section ? [tag(section.begin, describeList(structure, calls, single), section.end)] : calls;
  return { type: "triggered_tags", triggers: [trigger], tags, at_least_one: false, stop_after_first: single };
}

/** xgrammar has no empty separator. Without a separator it accepts text after a call, which models do not write. */
function describeList({ list }: CallStructure, tags: readonly TagFormat[], single: boolean): Format {
  const some = { tags, at_least_one: true, stop_after_first: single };
  if ("opener" in list) return { type: "triggered_tags", triggers: [list.opener], ...some };
  return { type: "tags_with_separator", separator: list.separator, ...some };
}

/** Describes the JSON object of a tool's arguments. */
export function describeJsonArguments({ function: called }: Tool): Format {
  const schema = member(called, "parameters");
  return json(typeof schema === "object" && schema !== null ? schema : { type: "object" });
}

/** Describes a call that consists of the text of `open`, the JSON object of its arguments, and `close`. */
export function describeJsonCall(open: (name: string) => string, close: string): CallStructure["describeCall"] {
  return (tool) => tag(open(tool.function.name), describeJsonArguments(tool), close);
}

/**
 * Describes the arguments of a tool in the order of its schema. Any text is allowed if the schema lists no parameters.
 *
 * @param write describes one argument
 * @param between describes the text before the first argument, between two, and after the last
 */
export function describeArguments(
  tool: Tool,
  write: (parameter: Parameter) => Format,
  between: readonly Format[] = [],
) {
  const parameters = listParameters(tool);
  if (parameters === undefined) return ANY_TEXT;
  const written = parameters.map((parameter) => {
    const format = sequence([...between, write(parameter)]);
    return parameter.isRequired ? format : optional(format);
  });
  return sequence([...written, ...between]);
}

/** Describes a value: text if the schema allows a string, otherwise JSON. */
export const describeValue = ({ text, json: value }: Parameter): Format => text ?? value ?? ANY_TEXT;
