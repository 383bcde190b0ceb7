import type { Tool } from "../../../conversation/message.js";
import { isOpenAt, type ReasoningSyntax } from "../reasoning/reasoning-syntax.js";
import { type CallStructure, calls, textWithCalls } from "./call-structure.js";
import { ANY_TEXT, type Format, json, oneOf, regex, sequence, tag } from "./format.js";

/** What an output has to look like. */
export interface OutputRules {
  /** The tools that the prompt shows. */
  readonly tools: readonly Tool[];
  /** The answer is a call. Otherwise calls that it makes are well formed. */
  readonly mustCall: boolean;
  /** Names of the tools whose calls have the arguments of their schema; where the answer is a call, those of all have. */
  readonly strict: ReadonlySet<string>;
  /** No more than one call. */
  readonly single: boolean;
  /** JSON text of the schema that an answer without calls has. */
  readonly jsonSchema: string | undefined;
  /** The prompt's last tokens as text. */
  readonly promptEnd: string;
}

/** What an engine's grammar is made of. */
export type OutputStructure =
  | { readonly kind: "json_schema"; readonly schema: string }
  /** JSON text of a structural tag. */
  | { readonly kind: "structural_tag"; readonly tag: string };

/** What models write before calls, and behind their reasoning. */
const BREAK = regex("[\\n ]{0,4}");
const behindBreak = (format: Format): Format => sequence([BREAK, format]);

/** The structure that follows rules; undefined where the family's calls have none. */
export function outputStructure(
  structure: CallStructure | undefined,
  reasoning: ReasoningSyntax | undefined,
  rules: OutputRules,
): OutputStructure | undefined {
  const isOpen = reasoning !== undefined && isOpenAt(rules.promptEnd, reasoning);
  const { jsonSchema } = rules;
  if (rules.tools.length === 0 && jsonSchema !== undefined && !isOpen)
    return { kind: "json_schema", schema: jsonSchema };
  const answer = answerOf(structure, rules);
  if (answer === undefined) return undefined;
  const format = reasoning ? behindReasoning(reasoning, isOpen, answer) : answer;
  return { kind: "structural_tag", tag: JSON.stringify({ type: "structural_tag", format }) };
}

function answerOf(structure: CallStructure | undefined, rules: OutputRules): Format | undefined {
  const { mustCall, single, strict, jsonSchema } = rules;
  const tools = rules.tools.map((tool) => (mustCall || strict.has(tool.function.name) ? tool : withAnyArguments(tool)));
  const answer = jsonSchema === undefined ? undefined : json(JSON.parse(jsonSchema));
  if (tools.length === 0) return answer && behindBreak(answer);
  if (structure === undefined) return undefined;
  if (mustCall) return behindBreak(calls(structure, tools, single));
  if (answer === undefined) return textWithCalls(structure, tools, single);
  // xgrammar takes no choice between what may go on, as calls without a section may, and what ends by itself.
  const likewise = structure.section ? answer : listOfOne(answer);
  return behindBreak(oneOf([calls(structure, tools, single), likewise]));
}

function listOfOne(format: Format): Format {
  const tags = [tag("", format, "")];
  return { type: "tags_with_separator", tags, separator: "\n", at_least_one: true, stop_after_first: true };
}

function withAnyArguments({ type, function: called }: Tool): Tool {
  return { type, function: { name: called.name } };
}

/** The reasoning is free. It must end where the prompt has begun it; else it may be left out. */
function behindReasoning({ begin, end }: ReasoningSyntax, isOpen: boolean, answer: Format): Format {
  if (isOpen) return sequence([tag("", ANY_TEXT, end), answer]);
  return oneOf([sequence([tag(begin, ANY_TEXT, end), answer]), answer]);
}
