import type { Family } from "../family.js";
import { describeArguments, describeValue } from "../structure/call-structure.js";
import { tag } from "../structure/format.js";
import { keyValueCalls } from "../syntax/key-value-calls.js";

/** Every tag of the released checkpoints has this suffix. The preview's tags have none; they are not read. */
const SUFFIX = ":opensource";

const pair = (name: string) => ({ begin: `<${name}${SUFFIX}>`, end: `</${name}${SUFFIX}>` });

const SECTION = pair("tool_calls");
const CALL = pair("tool_call");
const KEY = pair("arg_key");
const VALUE = pair("arg_value");
const THINK = pair("think");
const SEPARATOR = `<tool_sep${SUFFIX}>`;

/** Tencent Hy3: the name, a separator, and pairs of keys and values. Source: the model's chat template. */
export const hyV3 = {
  name: "hy_v3",
  calls: {
    docs: {
      models: "Tencent Hy3",
      call: `\`${SECTION.begin}${CALL.begin}NAME${SEPARATOR}${KEY.begin}…\``,
      arguments: "text or JSON",
    },
    // The template appends the suffix in a variable.
    detection: { template: [SUFFIX, "<tool_sep"] },
    syntax: keyValueCalls({ section: SECTION, ...CALL, nameEnd: SEPARATOR, key: KEY, value: VALUE }),
    structure: {
      trigger: SECTION.begin,
      section: { begin: `${SECTION.begin}\n`, end: `\n${SECTION.end}` },
      list: { separator: "\n" },
      describeCall: (tool) => {
        const body = describeArguments(tool, (parameter) =>
          tag(`${KEY.begin}${parameter.key}${KEY.end}\n${VALUE.begin}`, describeValue(parameter), `${VALUE.end}\n`),
        );
        return tag(`${CALL.begin}${tool.function.name}${SEPARATOR}\n`, body, CALL.end);
      },
    },
  },
  reasoning: {
    docs: `\`${THINK.begin}\` and \`${THINK.end}\``,
    detection: { markers: [THINK.begin, "<think{}>"] },
    block: THINK,
  },
} as const satisfies Family;
