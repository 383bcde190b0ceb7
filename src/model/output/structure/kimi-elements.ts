import type { Tool } from "../../../conversation/message.js";
import { type CallStructure, describeArguments, describeCalls, describeTextWithCalls } from "./call-structure.js";
import { ANY_TEXT, constant, type Format, oneOf, optional, regex, sequence, type TagFormat, tag } from "./format.js";
import type { Parameter } from "./parameters.js";
import type { WholeRules, WholeStructure } from "./whole-structure.js";

const open = (element: string): string => `<|open|>${element}<|sep|>`;
const close = (element: string): string => `<|close|>${element}<|sep|>`;

/**
 * The structure of Kimi K3's outputs: the elements `think`, `response` and `tools`, and the end of the message that the
 * prompt has begun. Source: the model's chat template.
 */
export const kimiElements: WholeStructure = { describeOutput };

function describeOutput({ tools, mustCall, single, answer, promptEnd }: WholeRules): Format | undefined {
  const withText = (text: Format, more: readonly Format[]): Format | undefined =>
    describeMessage(promptEnd, text, more);
  if (mustCall) return withText(ANY_TEXT, [describeCalls(CALLS, tools, single)]);
  if (answer === undefined) return describeTextWithCalls(CALLS, tools, single);
  if (tools.length === 0) return withText(answer, []);
  const answered = withText(answer, []);
  const called = withText(ANY_TEXT, [describeCalls(CALLS, tools, single)]);
  return answered && called && oneOf([answered, called]);
}

/** Describes the rest of the message, whose text is the content of the element `response`. */
function describeMessage(promptEnd: string, text: Format, more: readonly Format[]): Format | undefined {
  const response = tag(open("response"), text, close("response"));
  const end = [...more, optional(constant(close("message")))];
  const before = promptEnd.trimEnd();
  if (before.endsWith(open("response"))) return sequence([tag("", text, close("response")), ...end]);
  if (before.endsWith(open("think"))) return sequence([tag("", ANY_TEXT, close("think")), response, ...end]);
  return undefined;
}

const CALLS: CallStructure = {
  trigger: open("tools"),
  section: { begin: open("tools"), end: close("tools") },
  list: { opener: '<|open|>call tool="' },
  describeCall,
};

function describeCall(tool: Tool): TagFormat {
  const index = [regex("[0-9]{1,4}"), constant('"<|sep|>')];
  const body = sequence([...index, describeArguments(tool, describeArgument)]);
  return tag(`<|open|>call tool="${escape(tool.function.name)}" index="`, body, close("call"));
}

/** If the schema allows both a string and JSON for a value, the model chooses. */
function describeArgument({ key, types, text, json }: Parameter): Format {
  const begin = (type: string): string => `<|open|>argument key="${escape(key)}" type="${type}"<|sep|>`;
  const kinds = [text && tag(begin("string"), text, close("argument"))];
  if (json) kinds.push(...listKinds(types).map((kind) => tag(begin(kind), json, close("argument"))));
  return oneOf(kinds.filter((kind) => kind !== undefined));
}

const KINDS = ["number", "boolean", "null", "object", "array"];

/** Lists the types that the model may name for JSON. An integer is a number. */
function listKinds(types: ReadonlySet<string> | undefined): readonly string[] {
  const kinds = KINDS.filter((kind) => types?.has(kind) || (kind === "number" && types?.has("integer")));
  return types === undefined ? KINDS : kinds;
}

const escape = (value: string): string => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
