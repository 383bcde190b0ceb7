import { describeArguments, describeValue } from "../structure/call-structure.js";
import { tag } from "../structure/format.js";
import { taggedCalls } from "../syntax/tagged-calls.js";
const SECTION = { begin: "<minimax:tool_call>", end: "</minimax:tool_call>" };
/** MiniMax-M2: calls in tags that name function and parameters in an attribute. Source: the model's chat template. */
export const minimaxM2 = {
    name: "minimax_m2",
    calls: {
        docs: {
            models: "MiniMax-M2",
            call: '`<minimax:tool_call><invoke name="NAME"><parameter name="KEY">…`',
            arguments: "text",
        },
        detection: { template: [SECTION.begin], modelTypes: ["minimax_m2"] },
        syntax: taggedCalls({
            section: SECTION,
            begin: '<invoke name="',
            nameEnd: '">',
            end: "</invoke>",
            parameter: { begin: '<parameter name="', keyEnd: '">', end: "</parameter>" },
            layout: "between tags",
        }),
        structure: {
            trigger: SECTION.begin,
            section: { begin: `${SECTION.begin}\n`, end: `\n${SECTION.end}` },
            list: { separator: "\n" },
            describeCall: (tool) => {
                const body = describeArguments(tool, (parameter) => tag(`<parameter name="${parameter.key}">`, describeValue(parameter), "</parameter>\n"));
                return tag(`<invoke name="${tool.function.name}">\n`, body, "</invoke>");
            },
        },
    },
};
//# sourceMappingURL=minimax-m2.js.map