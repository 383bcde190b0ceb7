import { describeArguments, describeValue } from "../structure/call-structure.js";
import { tag } from "../structure/format.js";
import { FUNCTION_TAGS, taggedCalls } from "../syntax/tagged-calls.js";
const SECTION = { begin: "<seed:tool_call>", end: "</seed:tool_call>" };
const THINK = { begin: "<seed:think>", end: "</seed:think>" };
/**
 * Seed-OSS: calls as in `qwen3_coder`, but values stand right between their tags. Source: the model's chat template.
 */
export const seedOss = {
    name: "seed_oss",
    calls: {
        docs: { models: "Seed-OSS", call: "`<seed:tool_call><function=NAME><parameter=KEY>…`", arguments: "text" },
        detection: { template: [SECTION.begin], modelTypes: ["seed_oss"] },
        syntax: taggedCalls({ section: SECTION, ...FUNCTION_TAGS, layout: "between tags" }),
        structure: {
            trigger: SECTION.begin,
            list: { separator: "\n" },
            describeCall: (tool) => {
                const body = describeArguments(tool, (parameter) => tag(`<parameter=${parameter.key}>`, describeValue(parameter), "</parameter>\n"));
                return tag(`${SECTION.begin}\n<function=${tool.function.name}>\n`, body, `</function>\n${SECTION.end}`);
            },
        },
    },
    reasoning: {
        docs: "`<seed:think>` and `</seed:think>`; a call ends it if nothing else does",
        detection: { markers: [THINK.begin] },
        block: { ...THINK, endsAtCalls: "unclosed" },
    },
};
//# sourceMappingURL=seed-oss.js.map