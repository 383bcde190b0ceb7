import { describeArguments, describeValue } from "../structure/call-structure.js";
import { tag } from "../structure/format.js";
import { keyValueCalls } from "./key-value-calls.js";
/**
 * Returns how Tencent Hy3 writes calls and reasoning: the name, a separator, and pairs of keys and values.
 *
 * @param suffix the end of every tag's name, which differs between checkpoints
 */
export function hyV3Tags(suffix) {
    const pair = (name) => ({ begin: `<${name}${suffix}>`, end: `</${name}${suffix}>` });
    const section = pair("tool_calls");
    const call = pair("tool_call");
    const key = pair("arg_key");
    const value = pair("arg_value");
    const separator = `<tool_sep${suffix}>`;
    return {
        example: `\`${section.begin}${call.begin}NAME${separator}${key.begin}…\``,
        think: pair("think"),
        syntax: keyValueCalls({ section, ...call, nameEnd: separator, key, value }),
        structure: {
            trigger: section.begin,
            section: { begin: `${section.begin}\n`, end: `\n${section.end}` },
            list: { separator: "\n" },
            describeCall: (tool) => {
                const body = describeArguments(tool, (parameter) => tag(`${key.begin}${parameter.key}${key.end}\n${value.begin}`, describeValue(parameter), `${value.end}\n`));
                return tag(`${call.begin}${tool.function.name}${separator}\n`, body, call.end);
            },
        },
    };
}
//# sourceMappingURL=hy-v3-tags.js.map