import { describeArguments, describeCalls, describeTextWithCalls } from "./call-structure.js";
import { ANY_TEXT, constant, oneOf, optional, regex, sequence, tag } from "./format.js";
const open = (element) => `<|open|>${element}<|sep|>`;
const close = (element) => `<|close|>${element}<|sep|>`;
/**
 * The structure of Kimi K3's outputs: the elements `think`, `response` and `tools`, and the end of the message that the
 * prompt has begun. Source: the model's chat template.
 */
export const kimiElements = { describeOutput };
function describeOutput({ tools, mustCall, single, answer, promptEnd }) {
    const withText = (text, more) => describeMessage(promptEnd, text, more);
    if (mustCall)
        return withText(ANY_TEXT, [describeCalls(CALLS, tools, single)]);
    if (answer === undefined)
        return describeTextWithCalls(CALLS, tools, single);
    if (tools.length === 0)
        return withText(answer, []);
    const answered = withText(answer, []);
    const called = withText(ANY_TEXT, [describeCalls(CALLS, tools, single)]);
    return answered && called && oneOf([answered, called]);
}
/** Describes the rest of the message, whose text is the content of the element `response`. */
function describeMessage(promptEnd, text, more) {
    const response = tag(open("response"), text, close("response"));
    const end = [...more, optional(constant(close("message")))];
    const before = promptEnd.trimEnd();
    if (before.endsWith(open("response")))
        return sequence([tag("", text, close("response")), ...end]);
    if (before.endsWith(open("think")))
        return sequence([tag("", ANY_TEXT, close("think")), response, ...end]);
    return undefined;
}
const CALLS = {
    trigger: open("tools"),
    section: { begin: open("tools"), end: close("tools") },
    list: { opener: '<|open|>call tool="' },
    describeCall,
};
function describeCall(tool) {
    const index = [regex("[0-9]{1,4}"), constant('"<|sep|>')];
    const body = sequence([...index, describeArguments(tool, describeArgument)]);
    return tag(`<|open|>call tool="${escape(tool.function.name)}" index="`, body, close("call"));
}
/** If the schema allows both a string and JSON for a value, the model chooses. */
function describeArgument({ key, types, text, json }) {
    const begin = (type) => `<|open|>argument key="${escape(key)}" type="${type}"<|sep|>`;
    const kinds = [text && tag(begin("string"), text, close("argument"))];
    if (json)
        kinds.push(...listKinds(types).map((kind) => tag(begin(kind), json, close("argument"))));
    return oneOf(kinds.filter((kind) => kind !== undefined));
}
const KINDS = ["number", "boolean", "null", "object", "array"];
/** Lists the types that the model may name for JSON. An integer is a number. */
function listKinds(types) {
    const kinds = KINDS.filter((kind) => types?.has(kind) || (kind === "number" && types?.has("integer")));
    return types === undefined ? KINDS : kinds;
}
const escape = (value) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
//# sourceMappingURL=kimi-elements.js.map