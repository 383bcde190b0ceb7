import { THINK } from "../reasoning/reasoning-block.js";
import { describeArguments, describeValue } from "../structure/call-structure.js";
import { constant, regex, sequence, tag } from "../structure/format.js";
import { keyValueCalls } from "../syntax/key-value-calls.js";
const CALL = { begin: "<tool_call>", end: "</tool_call>" };
const KEY = { begin: "<arg_key>", end: "</arg_key>" };
const VALUE = { begin: "<arg_value>", end: "</arg_value>" };
/** GLM 4.5 and 4.6 write each key and value on a separate line, 4.7 does not. Sources: the models' chat templates. */
export const glm45 = {
    name: "glm45",
    calls: {
        docs: {
            models: "GLM 4.5 to 4.7",
            call: "`<tool_call>NAME<arg_key>…</arg_key><arg_value>…`",
            arguments: "text or JSON",
        },
        // Hy3-preview writes pairs of keys and values too, behind a separator.
        detection: { template: [KEY.begin], templateLacks: ["<tool_sep>"], modelTypes: ["glm4_moe"] },
        thinksLike: "glm45",
        syntax: keyValueCalls({ ...CALL, key: KEY, value: VALUE }),
        structure: {
            trigger: CALL.begin,
            list: { separator: "\n" },
            describeCall: (tool) => tag(`${CALL.begin}${tool.function.name}`, describeArguments(tool, describePair, [BREAK]), CALL.end),
        },
    },
    reasoning: {
        docs: "`<think>` and `</think>`; a call ends it if nothing else does",
        block: { ...THINK, endsAtCalls: "unclosed" },
    },
};
const BREAK = regex("\\n?");
function describePair(parameter) {
    const value = sequence([BREAK, constant(VALUE.begin), describeValue(parameter)]);
    return tag(`${KEY.begin}${parameter.key}${KEY.end}`, value, VALUE.end);
}
//# sourceMappingURL=glm45.js.map