import type { Tool } from "../../../conversation/message.js";
import { isOpenAt, type ReasoningBlock } from "../reasoning/reasoning-block.js";
import { type CallStructure, describeCalls, describeTextWithCalls } from "./call-structure.js";
import { ANY_TEXT, constant, type Format, json, oneOf, regex, sequence, tag } from "./format.js";

/** The rules that an output must follow. */
export interface OutputRules {
  /** The tools that the prompt shows. */
  readonly tools: readonly Tool[];
  /** The answer must be a call. Otherwise it may be text, and its calls are well formed. */
  readonly mustCall: boolean;
  /** Tools whose calls must have the arguments of their schema. If the answer must be a call, all tools are strict. */
  readonly strict: ReadonlySet<string>;
  /** At most one call. */
  readonly single: boolean;
  /** JSON text of the schema that an answer without calls must match. */
  readonly jsonSchema: string | undefined;
  /** The prompt's last tokens as text. */
  readonly promptEnd: string;
}

/** The description of an output from which an engine builds its grammar. */
export type OutputStructure =
  | { readonly kind: "json_schema"; readonly schema: string }
  /** JSON text of a structural tag. */
  | { readonly kind: "structural_tag"; readonly tag: string };

/** White space that models write before calls and after their reasoning. */
const BREAK = regex("[\\n ]{0,4}");
const afterBreak = (format: Format): Format => sequence([BREAK, format]);

/** Returns the structure that follows the rules; undefined if no grammar describes the family's calls. */
export function buildOutputStructure(
  structure: CallStructure | undefined,
  reasoning: ReasoningBlock | undefined,
  rules: OutputRules,
): OutputStructure | undefined {
  const isOpen = reasoning !== undefined && isOpenAt(rules.promptEnd, reasoning);
  const { jsonSchema } = rules;
  if (rules.tools.length === 0 && jsonSchema !== undefined && !isOpen)
    return { kind: "json_schema", schema: jsonSchema };
  const answer = describeAnswer(structure, rules);
  if (answer === undefined) return undefined;
  const format = reasoning ? afterReasoning(reasoning, isOpen, answer) : answer;
  return { kind: "structural_tag", tag: JSON.stringify({ type: "structural_tag", format }) };
}

function describeAnswer(structure: CallStructure | undefined, rules: OutputRules): Format | undefined {
  const { mustCall, single, strict, jsonSchema } = rules;
  const tools = rules.tools.map((tool) => (mustCall || strict.has(tool.function.name) ? tool : withAnyArguments(tool)));
  const answer = jsonSchema === undefined ? undefined : json(JSON.parse(jsonSchema));
  if (tools.length === 0) return answer && afterBreak(answer);
  if (structure === undefined) return undefined;
  if (mustCall) return afterBreak(describeCalls(structure, tools, single));
  if (answer === undefined) return describeTextWithCalls(structure, tools, single);
  // xgrammar refuses a choice between a format that can continue, such as calls without a section, and one that cannot.
  const comparable = structure.section ? answer : wrapInList(answer);
  return afterBreak(oneOf([describeCalls(structure, tools, single), comparable]));
}

function wrapInList(format: Format): Format {
  const tags = [tag("", format, "")];
  return { type: "tags_with_separator", tags, separator: "\n", at_least_one: true, stop_after_first: true };
}

function withAnyArguments({ type, function: called }: Tool): Tool {
  return { type, function: { name: called.name } };
}

/** Reasoning is free text. It must end if the prompt has begun it; otherwise it may be absent. */
function afterReasoning({ begin, end, mayOnlyEnd }: ReasoningBlock, isOpen: boolean, answer: Format): Format {
  if (isOpen) return sequence([tag("", ANY_TEXT, end), answer]);
  const ended = mayOnlyEnd === true ? [sequence([constant(end), answer])] : [];
  return oneOf([sequence([tag(begin, ANY_TEXT, end), answer]), ...ended, answer]);
}
