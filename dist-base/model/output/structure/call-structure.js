import { member } from "../tool-schema.js";
import { ANY_TEXT, json, optional, sequence, tag } from "./format.js";
import { listParameters } from "./parameters.js";
/** Describes a list of calls, or only one call. */
export function describeCalls(structure, tools, single) {
    const { section } = structure;
    const list = describeList(structure, tools.map(structure.describeCall), single);
    return section ? tag(section.begin, list, section.end) : list;
}
/** Describes text that may contain calls. Undefined if an engine could not distinguish calls from text. */
export function describeTextWithCalls(structure, tools, single) {
    const { trigger, section } = structure;
    if (trigger === undefined)
        return undefined;
    const calls = tools.map(structure.describeCall);
    const tags = section ? [tag(section.begin, describeList(structure, calls, single), section.end)] : calls;
    return { type: "triggered_tags", triggers: [trigger], tags, at_least_one: false, stop_after_first: single };
}
/** xgrammar has no empty separator. Without a separator it accepts text after a call, which models do not write. */
function describeList({ list }, tags, single) {
    const some = { tags, at_least_one: true, stop_after_first: single };
    if ("opener" in list)
        return { type: "triggered_tags", triggers: [list.opener], ...some };
    return { type: "tags_with_separator", separator: list.separator, ...some };
}
/** Describes the JSON object of a tool's arguments. */
export function describeJsonArguments({ function: called }) {
    const schema = member(called, "parameters");
    return json(typeof schema === "object" && schema !== null ? schema : { type: "object" });
}
/** Describes a call that consists of the text of `open`, the JSON object of its arguments, and `close`. */
export function describeJsonCall(open, close) {
    return (tool) => tag(open(tool.function.name), describeJsonArguments(tool), close);
}
/**
 * Describes the arguments of a tool in the order of its schema. Any text is allowed if the schema lists no parameters.
 *
 * @param write describes one argument
 * @param between describes the text before the first argument, between two, and after the last
 */
export function describeArguments(tool, write, between = []) {
    const parameters = listParameters(tool);
    if (parameters === undefined)
        return ANY_TEXT;
    const written = parameters.map((parameter) => {
        const format = sequence([...between, write(parameter)]);
        return parameter.isRequired ? format : optional(format);
    });
    return sequence([...written, ...between]);
}
/** Describes a value: text if the schema allows a string, otherwise JSON. */
export const describeValue = ({ text, json: value }) => text ?? value ?? ANY_TEXT;
//# sourceMappingURL=call-structure.js.map