import { isOpenAt } from "../reasoning/reasoning-block.js";
import { describeCalls, describeTextWithCalls } from "./call-structure.js";
import { ANY_TEXT, constant, json, oneOf, optional, regex, sequence, tag } from "./format.js";
export function findEnforcement(structure) {
    if (structure === undefined)
        return "never";
    return "describeOutput" in structure || structure.trigger !== undefined ? "always" : "if required";
}
/** White space that models write before calls and after their reasoning. */
const BREAK = regex("[\\n ]{0,4}");
const afterBreak = (format) => sequence([BREAK, format]);
/** Returns the structure that follows the rules; undefined if no grammar describes the family's calls. */
export function buildOutputStructure(structure, reasoning, rules) {
    const { jsonSchema, tools } = rules;
    const plain = tools.length === 0 && jsonSchema !== undefined ? { kind: "json_schema", schema: jsonSchema } : undefined;
    if (structure && "describeOutput" in structure) {
        return toTag(structure.describeOutput(toWholeRules(rules))) ?? plain;
    }
    const isOpen = reasoning !== undefined && isOpenAt(rules.promptEnd, reasoning);
    if (plain && !isOpen)
        return plain;
    const answer = describeAnswer(structure, rules);
    if (answer === undefined)
        return undefined;
    const isFree = jsonSchema === undefined && !rules.mustCall;
    const framed = reasoning?.answer && !isFree ? inAnswer(reasoning.answer, answer) : answer;
    return toTag(reasoning ? afterReasoning(reasoning, isOpen, framed) : answer);
}
function toTag(format) {
    return format && { kind: "structural_tag", tag: JSON.stringify({ type: "structural_tag", format }) };
}
function toWholeRules({ tools, mustCall, single, strict, jsonSchema, promptEnd }) {
    return {
        tools: tools.map((tool) => (mustCall || strict.has(tool.function.name) ? tool : withAnyArguments(tool))),
        mustCall,
        single,
        answer: jsonSchema === undefined ? undefined : json(JSON.parse(jsonSchema)),
        promptEnd,
    };
}
function describeAnswer(structure, rules) {
    const { mustCall, single, tools, answer } = toWholeRules(rules);
    if (tools.length === 0)
        return answer && afterBreak(answer);
    if (structure === undefined)
        return undefined;
    if (mustCall)
        return afterBreak(describeCalls(structure, tools, single));
    if (answer === undefined)
        return describeTextWithCalls(structure, tools, single);
    // xgrammar refuses a choice between a format that can continue, such as calls without a section, and one that cannot.
    const comparable = structure.section ? answer : wrapInList(answer);
    return afterBreak(oneOf([describeCalls(structure, tools, single), comparable]));
}
function wrapInList(format) {
    const tags = [tag("", format, "")];
    return { type: "tags_with_separator", tags, separator: "\n", at_least_one: true, stop_after_first: true };
}
/** Models write the markers around the answer, or forget them. Free text includes them. */
function inAnswer({ begin, end }, answer) {
    return sequence([
        BREAK,
        optional(sequence([constant(begin), BREAK])),
        answer,
        optional(sequence([BREAK, constant(end)])),
    ]);
}
function withAnyArguments({ type, function: called }) {
    return { type, function: { name: called.name } };
}
/** Reasoning is free text. It must end if the prompt has begun it; otherwise it may be absent. */
function afterReasoning({ begin, end, mayOnlyEnd }, isOpen, answer) {
    if (isOpen)
        return sequence([tag("", ANY_TEXT, end), answer]);
    const ended = mayOnlyEnd === true ? [sequence([constant(end), answer])] : [];
    return oneOf([sequence([tag(begin, ANY_TEXT, end), answer]), ...ended, answer]);
}
//# sourceMappingURL=output-structure.js.map