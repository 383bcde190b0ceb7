import type { Tool } from "../../../conversation/message.js";
import { member } from "../tool-schema.js";
import { ANY_TEXT, type Format, json, optional, sequence, type TagFormat, tag } from "./format.js";
import { listParameters, type Parameter } from "./parameters.js";

/** How models of a family write calls, as far as an engine's grammar can describe it. */
export interface CallStructure {
  /** What a call, or a section of calls, begins with. None if an answer may begin the same way. */
  readonly trigger?: string;
  readonly section?: { readonly begin: string; readonly end: string };
  /** What stands between two calls; if nothing does, what each call begins with. */
  readonly list: { readonly separator: string } | { readonly opener: string };
  readonly describeCall: (tool: Tool) => TagFormat;
}

/** Describes calls one behind another, or only one. */
export function describeCalls(structure: CallStructure, tools: readonly Tool[], single: boolean): Format {
  const { section } = structure;
  const list = describeList(structure, tools.map(structure.describeCall), single);
  return section ? tag(section.begin, list, section.end) : list;
}

/** Describes text that may contain calls. Undefined if an engine could not tell a call from an answer. */
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

/** xgrammar has no empty separator. Without a separator it accepts text behind a call, which models do not write. */
function describeList({ list }: CallStructure, tags: readonly TagFormat[], single: boolean): Format {
  const some = { tags, at_least_one: true, stop_after_first: single };
  if ("opener" in list) return { type: "triggered_tags", triggers: [list.opener], ...some };
  return { type: "tags_with_separator", separator: list.separator, ...some };
}

/** Describes the JSON object of a tool's arguments. */
export function jsonArguments({ function: called }: Tool): Format {
  const schema = member(called, "parameters");
  return json(typeof schema === "object" && schema !== null ? schema : { type: "object" });
}

/** Describes a call that is the JSON object of its arguments between what `open` returns and `close`. */
export function jsonCall(open: (name: string) => string, close: string): CallStructure["describeCall"] {
  return (tool) => tag(open(tool.function.name), jsonArguments(tool), close);
}

/**
 * Describes the arguments of a tool, each by `write`, in the order of its schema. Any text if the schema lists none.
 *
 * @param between what may stand before the first argument, between two, and behind the last
 */
export function writtenArguments(tool: Tool, write: (parameter: Parameter) => Format, between: readonly Format[] = []) {
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
