import type { Tool } from "../../../conversation/message.js";
import { isOpenAt, type ReasoningBlock } from "../reasoning/reasoning-block.js";
import { type CallStructure, describeCalls, describeTextWithCalls } from "./call-structure.js";
import { ANY_TEXT, constant, type Format, json, oneOf, optional, regex, sequence, tag } from "./format.js";
import { writeLengthsAsPatterns } from "./string-lengths.js";
import type { WholeRules, WholeStructure } from "./whole-structure.js";

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

/** When a grammar describes the calls of a family: if an answer may begin like a call, only if a call is required. */
export type Enforcement = "always" | "if required" | "never";

export function findEnforcement(structure: CallStructure | WholeStructure | undefined): Enforcement {
  if (structure === undefined) return "never";
  return "describeOutput" in structure || structure.trigger !== undefined ? "always" : "if required";
}

/** White space that models write before calls and after their reasoning. */
const BREAK = regex("[\\n ]{0,4}");
const afterBreak = (format: Format): Format => sequence([BREAK, format]);

/** Returns the structure that follows the rules; undefined if no grammar describes the family's calls. */
export function buildOutputStructure(
  structure: CallStructure | WholeStructure | undefined,
  reasoning: ReasoningBlock | undefined,
  rules: OutputRules,
): OutputStructure | undefined {
  const { jsonSchema, tools } = rules;
  const plain: OutputStructure | undefined =
    tools.length === 0 && jsonSchema !== undefined
      ? { kind: "json_schema", schema: limitLengths(jsonSchema) }
      : undefined;
  if (structure && "describeOutput" in structure) {
    return toTag(structure.describeOutput(toWholeRules(rules))) ?? plain;
  }
  const isOpen = reasoning !== undefined && isOpenAt(rules.promptEnd, reasoning);
  if (plain && !isOpen) return plain;
  const answer = describeAnswer(structure, rules);
  if (answer === undefined) return undefined;
  const isFree = jsonSchema === undefined && !rules.mustCall;
  const framed = reasoning?.answer && !isFree ? inAnswer(reasoning.answer, answer) : answer;
  return toTag(reasoning ? afterReasoning(reasoning, isOpen, framed) : answer);
}

/** Keeps the text of a schema that limits no lengths. */
function limitLengths(schema: string): string {
  return /"m(?:in|ax)Length"/.test(schema) ? JSON.stringify(writeLengthsAsPatterns(JSON.parse(schema))) : schema;
}

function toTag(format: Format | undefined): OutputStructure | undefined {
  return format && { kind: "structural_tag", tag: JSON.stringify({ type: "structural_tag", format }) };
}

function toWholeRules({ tools, mustCall, single, strict, jsonSchema, promptEnd }: OutputRules): WholeRules {
  return {
    tools: tools.map((tool) => (mustCall || strict.has(tool.function.name) ? tool : withAnyArguments(tool))),
    mustCall,
    single,
    answer: jsonSchema === undefined ? undefined : json(JSON.parse(jsonSchema)),
    promptEnd,
  };
}

function describeAnswer(structure: CallStructure | undefined, rules: OutputRules): Format | undefined {
  const { mustCall, single, tools, answer } = toWholeRules(rules);
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

/** Models write the markers around the answer, or forget them. Free text includes them. */
function inAnswer({ begin, end }: NonNullable<ReasoningBlock["answer"]>, answer: Format): Format {
  return sequence([
    BREAK,
    optional(sequence([constant(begin), BREAK])),
    answer,
    optional(sequence([BREAK, constant(end)])),
  ]);
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
