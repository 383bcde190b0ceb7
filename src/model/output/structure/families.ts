import type { ToolFamily } from "../output-format.js";
import { type CallStructure, jsonArguments, valueOf, writtenArguments } from "./call-structure.js";
import { constant, type Format, oneOf, regex, sequence, tag } from "./format.js";

type Parameter = Parameters<typeof valueOf>[0];

/** A JSON object with the name and the arguments, as `open` begins it. */
const jsonCall = (open: (name: string) => string, close: string): CallStructure["call"] => {
  return (tool) => tag(open(tool.function.name), jsonArguments(tool), close);
};

const hermes: CallStructure = {
  trigger: "<tool_call>",
  list: { separator: "\n" },
  call: jsonCall((name) => `<tool_call>\n{"name": "${name}", "arguments": `, "}\n</tool_call>"),
};

/** Without a trigger: an answer may be an object with a name. */
const llama3Json: CallStructure = {
  list: { separator: "; " },
  call: jsonCall((name) => `{"name": "${name}", "parameters": `, "}"),
};

const DEEPSEEK = { begin: "<｜tool▁calls▁begin｜>", end: "<｜tool▁calls▁end｜>" };

const deepseekV3: CallStructure = {
  trigger: DEEPSEEK.begin,
  section: DEEPSEEK,
  list: { separator: "\n" },
  call: jsonCall(
    (name) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n`,
    "\n```<｜tool▁call▁end｜>",
  ),
};

const deepseekV31: CallStructure = {
  trigger: DEEPSEEK.begin,
  section: DEEPSEEK,
  list: { opener: "<｜tool▁call▁begin｜>" },
  call: jsonCall((name) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>`, "<｜tool▁call▁end｜>"),
};

const kimiK2: CallStructure = {
  trigger: "<|tool_calls_section_begin|>",
  section: { begin: "<|tool_calls_section_begin|>", end: "<|tool_calls_section_end|>" },
  list: { opener: "<|tool_call_begin|>" },
  call: (tool) => {
    const body = [regex("[0-9]{1,4}"), constant("<|tool_call_argument_begin|>"), jsonArguments(tool)];
    return tag(`<|tool_call_begin|>functions.${tool.function.name}:`, sequence(body), "<|tool_call_end|>");
  },
};

/** From tokenizer v11 on. */
const mistral: CallStructure = {
  trigger: "[TOOL_CALLS]",
  list: { opener: "[TOOL_CALLS]" },
  call: jsonCall((name) => `[TOOL_CALLS]${name}[ARGS]`, ""),
};

const mistralList: CallStructure = {
  trigger: "[TOOL_CALLS]",
  section: { begin: "[TOOL_CALLS][", end: "]" },
  list: { separator: ", " },
  call: jsonCall((name) => `{"name": "${name}", "arguments": `, "}"),
};

/** With line breaks (4.5, 4.6) and without (4.7). */
const glm45: CallStructure = {
  trigger: "<tool_call>",
  list: { separator: "\n" },
  call: (tool) => {
    const between = regex("\\n?");
    const write = (parameter: Parameter): Format =>
      tag(
        `<arg_key>${parameter.key}</arg_key>`,
        sequence([between, constant("<arg_value>"), valueOf(parameter)]),
        "</arg_value>",
      );
    return tag(`<tool_call>${tool.function.name}`, writtenArguments(tool, write, [between]), "</tool_call>");
  },
};

const qwen3Coder: CallStructure = {
  trigger: "<tool_call>",
  list: { separator: "\n" },
  call: (tool) => {
    const body = writtenArguments(tool, (each) => tag(`<parameter=${each.key}>\n`, valueOf(each), "\n</parameter>\n"));
    return tag(`<tool_call>\n<function=${tool.function.name}>\n`, body, "</function>\n</tool_call>");
  },
};

const seedOss: CallStructure = {
  trigger: "<seed:tool_call>",
  list: { separator: "\n" },
  call: (tool) => {
    const body = writtenArguments(tool, (each) => tag(`<parameter=${each.key}>`, valueOf(each), "</parameter>\n"));
    return tag(`<seed:tool_call>\n<function=${tool.function.name}>\n`, body, "</function>\n</seed:tool_call>");
  },
};

const minimaxM2: CallStructure = {
  trigger: "<minimax:tool_call>",
  section: { begin: "<minimax:tool_call>\n", end: "\n</minimax:tool_call>" },
  list: { separator: "\n" },
  call: (tool) => {
    const body = writtenArguments(tool, (each) =>
      tag(`<parameter name="${each.key}">`, valueOf(each), "</parameter>\n"),
    );
    return tag(`<invoke name="${tool.function.name}">\n`, body, "</invoke>");
  },
};

/** Both kinds of values: the model says which it writes. */
const dsml = (section: string): CallStructure => ({
  trigger: `<｜DSML｜${section}>`,
  section: { begin: `<｜DSML｜${section}>\n`, end: `\n</｜DSML｜${section}>` },
  list: { separator: "\n" },
  call: (tool) => {
    const write = ({ key, text, json }: Parameter): Format => {
      const open = (isText: boolean) => `<｜DSML｜parameter name="${key}" string="${isText}">`;
      const written = [text && tag(open(true), text, DSML_END), json && tag(open(false), json, DSML_END)];
      return oneOf(written.filter((each) => each !== undefined));
    };
    return tag(`<｜DSML｜invoke name="${tool.function.name}">\n`, writtenArguments(tool, write), "</｜DSML｜invoke>");
  },
});
const DSML_END = "</｜DSML｜parameter>\n";

const STRUCTURES: Partial<Record<ToolFamily, CallStructure>> = {
  hermes,
  qwen3_coder: qwen3Coder,
  llama3_json: llama3Json,
  deepseek_v3: deepseekV3,
  deepseek_v31: deepseekV31,
  deepseek_v32: dsml("function_calls"),
  deepseek_v4: dsml("tool_calls"),
  kimi_k2: kimiK2,
  glm45,
  minimax_m2: minimaxM2,
  seed_oss: seedOss,
};

/**
 * How calls of a family are written; undefined where no grammar says it: Python's literals (`pythonic`), and outputs of a
 * form of their own (`gpt_oss`, `kimi_k3`).
 *
 * @param has whether the model has a marker: in its vocabulary or its template
 */
export function callStructure(
  family: ToolFamily | "none",
  has: (marker: string) => boolean,
): CallStructure | undefined {
  if (family === "none") return undefined;
  if (family === "mistral") return has("[ARGS]") ? mistral : mistralList;
  return STRUCTURES[family];
}
