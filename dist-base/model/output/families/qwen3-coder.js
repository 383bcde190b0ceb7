import { describeArguments, describeValue } from "../structure/call-structure.js";
import { tag } from "../structure/format.js";
import { FUNCTION_TAGS, taggedCalls } from "../syntax/tagged-calls.js";
const SECTION = { begin: "<tool_call>", end: "</tool_call>" };
/**
 * Qwen3-Coder, Qwen3.5, Nemotron 3 and others. Models often forget the tags around a call. Sources: the models' chat
 * templates.
 */
export const qwen3Coder = {
    name: "qwen3_coder",
    calls: {
        docs: {
            models: "Qwen3-Coder, Qwen3.5, Nemotron 3",
            call: "`<tool_call><function=NAME><parameter=KEY>…`",
            arguments: "text",
        },
        detection: { template: ["<function=", "<parameter="], templateLacks: ["<seed:tool_call>"] },
        thinksLike: "qwen3",
        syntax: taggedCalls({ section: SECTION, ...FUNCTION_TAGS, layout: "own lines" }),
        structure: {
            trigger: SECTION.begin,
            list: { separator: "\n" },
            describeCall: (tool) => {
                const body = describeArguments(tool, (parameter) => tag(`<parameter=${parameter.key}>\n`, describeValue(parameter), "\n</parameter>\n"));
                return tag(`${SECTION.begin}\n<function=${tool.function.name}>\n`, body, `</function>\n${SECTION.end}`);
            },
        },
    },
};
//# sourceMappingURL=qwen3-coder.js.map