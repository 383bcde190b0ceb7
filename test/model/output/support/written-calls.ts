import type { ToolFamily } from "../../../../src/model/output/family-lookup.js";

/** A call as a test means it: its name and its arguments, each as JSON text. */
export interface MeantCall {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

const object = ({ args }: MeantCall) => {
  const members = Object.entries(args).map(([key, value]) => `"${key}": ${value}`);
  return `{${members.join(", ")}}`;
};
const plain = (value: string) => (value.startsWith('"') ? (JSON.parse(value) as string) : value);
const each = ({ args }: MeantCall, write: (key: string, value: string) => string) =>
  Object.entries(args)
    .map(([key, value]) => write(key, plain(value)))
    .join("");

const deepseek = (calls: readonly string[], between: string) =>
  `<｜tool▁calls▁begin｜>${calls.join(between)}<｜tool▁calls▁end｜>`;

/** Spells calls as the chat templates of a family do. */
export type WriteCalls = (calls: readonly MeantCall[]) => string;

/** How models write calls, by family. A family that has a test file of its own spells its calls there. */
export const WRITTEN: readonly (readonly [ToolFamily, WriteCalls])[] = [
  [
    "hermes",
    (calls) =>
      calls
        .map((call) => `<tool_call>\n{"name": "${call.name}", "arguments": ${object(call)}}\n</tool_call>`)
        .join("\n"),
  ],
  ["llama3_json", (calls) => calls.map((call) => `{"name": "${call.name}", "parameters": ${object(call)}}`).join("; ")],
  [
    "deepseek_v3",
    (calls) => {
      const one = (call: MeantCall) =>
        `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${object(call)}\n\`\`\`<｜tool▁call▁end｜>`;
      return deepseek(calls.map(one), "\n");
    },
  ],
  [
    "deepseek_v31",
    (calls) =>
      deepseek(
        calls.map((call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${object(call)}<｜tool▁call▁end｜>`),
        "",
      ),
  ],
  ...(["function_calls", "tool_calls"] as const).map((section): readonly [ToolFamily, WriteCalls] => [
    section === "tool_calls" ? "deepseek_v4" : "deepseek_v32",
    (calls) => {
      const one = (call: MeantCall) => {
        const written = Object.entries(call.args).map(
          ([key, value]) =>
            `<｜DSML｜parameter name="${key}" string="${value.startsWith('"')}">${plain(value)}</｜DSML｜parameter>\n`,
        );
        return `<｜DSML｜invoke name="${call.name}">\n${written.join("")}</｜DSML｜invoke>`;
      };
      return `<｜DSML｜${section}>\n${calls.map(one).join("\n")}\n</｜DSML｜${section}>`;
    },
  ]),
  [
    "kimi_k2",
    (calls) => {
      const one = (call: MeantCall, i: number) =>
        `<|tool_call_begin|>functions.${call.name}:${i}<|tool_call_argument_begin|>${object(call)}<|tool_call_end|>`;
      return `<|tool_calls_section_begin|>${calls.map(one).join("")}<|tool_calls_section_end|>`;
    },
  ],
  [
    "mistral",
    (calls) => {
      const one = (call: MeantCall) => `{"name": "${call.name}", "arguments": ${object(call)}}`;
      return `[TOOL_CALLS][${calls.map(one).join(", ")}]`;
    },
  ],
  [
    "glm45",
    (calls) => {
      const write = (key: string, value: string) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`;
      return calls.map((call) => `<tool_call>${call.name}\n${each(call, write)}</tool_call>`).join("\n");
    },
  ],
  [
    "qwen3_coder",
    (calls) => {
      const write = (key: string, value: string) => `<parameter=${key}>\n${value}\n</parameter>\n`;
      return calls
        .map((call) => `<tool_call>\n<function=${call.name}>\n${each(call, write)}</function>\n</tool_call>`)
        .join("\n");
    },
  ],
  [
    "seed_oss",
    (calls) => {
      const write = (key: string, value: string) => `<parameter=${key}>${value}</parameter>\n`;
      return calls
        .map((call) => `<seed:tool_call>\n<function=${call.name}>\n${each(call, write)}</function>\n</seed:tool_call>`)
        .join("\n");
    },
  ],
  [
    "pythonic",
    (calls) => {
      const one = ({ name, args }: MeantCall) =>
        `${name}(${Object.entries(args)
          .map(([key, value]) => `${key}=${value}`)
          .join(", ")})`;
      return `[${calls.map(one).join(", ")}]`;
    },
  ],
  [
    "minimax_m2",
    (calls) => {
      const write = (key: string, value: string) => `<parameter name="${key}">${value}</parameter>\n`;
      const one = (call: MeantCall) => `<invoke name="${call.name}">\n${each(call, write)}</invoke>`;
      return `<minimax:tool_call>\n${calls.map(one).join("\n")}\n</minimax:tool_call>`;
    },
  ],
];
