import { ANY_TEXT, constant, json, oneOf, regex, sequence, tag } from "../structure/format.js";
import { listParameters } from "../structure/parameters.js";
import { joinMembers } from "../structure/schema-values.js";
import { listCalls } from "../syntax/call-list.js";
import { readJsonCall } from "../syntax/json-call.js";
import { readLoosePythonCall } from "../syntax/loose-python-call.js";
const LIST = { begin: "<|tool_call_start|>", end: "<|tool_call_end|>" };
const readItem = function* (context, call) {
    const { reader } = context;
    yield* reader.skipSpace();
    const isJson = yield* reader.at("{");
    return isJson ? yield* readJsonCall(context, call) : yield* readLoosePythonCall(reader, call, LIST.end);
};
/** Arguments of any name and value. Brackets in them are closed; deeper nesting is not described. */
const ANY_ARGUMENTS = regex(`([^"'()]|"([^"\\\\]|\\\\.)*"|'([^'\\\\]|\\\\.)*')*`);
/**
 * Liquid's LFM2 and LFM2.5: a Python list of calls between markers, in which templates and models do not escape quotes.
 * If the system message asks for JSON, the calls are JSON objects. Sources: the models' chat templates and documentation.
 */
export const lfm2 = {
    name: "lfm2",
    calls: {
        docs: {
            models: "LFM2, LFM2.5",
            call: `\`${LIST.begin}[f(a=1, b="x"), g()]${LIST.end}\``,
            arguments: "Python",
        },
        // Only one of the published templates writes calls.
        detection: { template: ["List of tools: ", "<|im_start|>"], modelTypes: ["lfm2", "lfm2_moe", "lfm2_vl"] },
        thinksLike: "qwen3",
        syntax: listCalls([LIST], readItem),
        structure: {
            trigger: LIST.begin,
            section: { begin: `${LIST.begin}[`, end: `]${LIST.end}` },
            list: { separator: ", " },
            describeCall: (tool) => tag(`${tool.function.name}(`, describeArguments(tool), ")"),
        },
    },
};
/** A string in the quotes that the chat template writes. */
const QUOTED = regex(`'([^'\\\\\\n]|\\\\.)*'`);
/** Describes arguments whose values are JSON, which is read like Python, or strings in single quotes. */
function describeArguments(tool) {
    const parameters = listParameters(tool);
    if (parameters === undefined)
        return ANY_ARGUMENTS;
    return joinMembers(parameters.map(({ key, isRequired, schema, text }) => {
        const value = text === ANY_TEXT ? oneOf([json(schema), QUOTED]) : json(schema);
        return { key, isRequired, format: sequence([constant(`${key}=`), value]) };
    }), ", ");
}
//# sourceMappingURL=lfm2.js.map