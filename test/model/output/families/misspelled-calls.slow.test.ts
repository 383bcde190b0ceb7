import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";

/** Calls that models write otherwise than their templates do, and whose meaning is still certain. */

const calls = (tools: OutputFamilies["tools"]): OutputFamilies => ({ tools, reasoning: "none" });

const PING = '{"name": "ping", "parameters": {}}';
const TEN = '{"name": "ping", "parameters": {"a": 10}}';

const LLAMA3: Record<string, Fixture> = {
  "calls with commas between them": {
    output: `${PING}, ${TEN},${PING}`,
    calls: [
      ["ping", "{}"],
      ["ping", '{"a": 10}'],
      ["ping", "{}"],
    ],
  },
  "a list of calls": {
    output: ` [${PING},\n ${TEN}]\n`,
    calls: [
      ["ping", "{}"],
      ["ping", '{"a": 10}'],
    ],
  },
  "a list of calls after the tag": {
    output: `<|python_tag|>[${PING},{"name": "other"}] Done.`,
    content: "Done.",
    calls: [
      ["ping", "{}"],
      ["other", "{}"],
    ],
  },
  "text after a comma": { output: `${PING}, so.`, content: ", so.", calls: [["ping", "{}"]] },
  "a list that is an answer": { output: '[{"name": "Ada"}]', content: '[{"name": "Ada"}]' },
  "a list of something else": { output: "[1, 2]", content: "[1, 2]" },
  "a list that goes on with something else": {
    output: `[${PING}, {"name": "Ada"}] x`,
    content: ', {"name": "Ada"}] x',
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a list that is not closed": { output: `[${PING}`, calls: [["ping", "{}"]] },
  "arguments that are null": { output: '{"name": "ping", "parameters": null}', calls: [["ping", "{}"]] },
};

const param = (key: string, value: string): string => `<parameter=${key}>\n${value}\n</parameter>\n`;
const ROME = `<tool_call>\n<function=get_weather>\n${param("city", "Rome")}`;

const QWEN3_CODER: Record<string, Fixture> = {
  "a call without </function>": {
    output: `${ROME}</tool_call>\nDone.`,
    content: "Done.",
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "two calls without </function>": {
    output: `${ROME}</tool_call>\n${ROME}</tool_call>`,
    calls: [
      ["get_weather", '{"city": "Rome"}'],
      ["get_weather", '{"city": "Rome"}'],
    ],
  },
  "a value without any end before </tool_call>": {
    output: "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</tool_call>",
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "a call without </function> before the next function": {
    output: `${ROME}<function=ping>\n</function>\n</tool_call>`,
    calls: [
      ["get_weather", '{"city": "Rome"}'],
      ["ping", "{}"],
    ],
  },
  "a last call without any end": { output: ROME, calls: [["get_weather", '{"city": "Rome"}']] },
  "a call that the token limit cuts off between parameters": {
    output: ROME,
    content: ROME,
    toolCalls: "malformed",
    end: "length",
  },
  "booleans in capitals": {
    output: `<tool_call>\n<function=get_weather>\n${param("city", "TRUE")}${param("metric", "FALSE")}</function>\n</tool_call>`,
    calls: [["get_weather", '{"city": "TRUE", "metric": false}']],
  },
  "None for a string that may be null": {
    output: `<tool_call>\n<function=edit>\n${param("path", "None")}${param("note", "None")}</function>\n</tool_call>`,
    calls: [["edit", '{"path": "None", "note": null}']],
  },
  "None for a nullable string": {
    output: `<tool_call>\n<function=say>\n${param("text", "None")}</function>\n</tool_call>`,
    calls: [["say", '{"text": null}']],
  },
  "parameters whose types are behind references": {
    output: `<tool_call>\n<function=turn>\n${param("unit", "None")}${param("at", "[1, 2]")}${param("loop", "[1]")}</function>\n</tool_call>`,
    calls: [["turn", '{"unit": null, "at": [1, 2], "loop": "[1]"}']],
  },
  "quotes in a string that may be null": {
    output: `<tool_call>\n<function=edit>\n${param("note", '"use strict"')}</function>\n</tool_call>`,
    calls: [["edit", '{"note": "\\"use strict\\""}']],
  },
};

const SEED_CALL = (value: string) =>
  `<seed:tool_call>\n<function=edit>\n<parameter=path>${value}</parameter>\n</function>\n</seed:tool_call>`;
const MINIMAX_CALL = (value: string) =>
  `<minimax:tool_call>\n<invoke name="edit">\n<parameter name="path">${value}</parameter>\n</invoke>\n</minimax:tool_call>`;
const lines = (write: (value: string) => string): Record<string, Fixture> => ({
  "a value on lines of its own": { output: write("\na\n"), calls: [["edit", '{"path": "a"}']] },
  "a value with line breaks inside of such lines": {
    output: write("\n\na\n\n"),
    calls: [["edit", '{"path": "\\na\\n"}']],
  },
  "a text that ends its last line": { output: write("a\n"), calls: [["edit", '{"path": "a\\n"}']] },
  "a text that begins with a line break": { output: write("\na"), calls: [["edit", '{"path": "\\na"}']] },
  "a line break alone": { output: write("\n"), calls: [["edit", '{"path": "\\n"}']] },
});

const HERMES: Record<string, Fixture> = {
  "null for the arguments of a tool without parameters": {
    output: '<tool_call>{"name": "ping", "arguments": null}</tool_call>',
    calls: [["ping", "{}"]],
  },
  "an empty text for the arguments of a tool without parameters": {
    output: '<tool_call>{"arguments": "", "name": "ping"}</tool_call>',
    calls: [["ping", "{}"]],
  },
  "null for the arguments of a tool with parameters": {
    output: '<tool_call>{"name": "get_weather", "arguments": null}</tool_call>',
    content: '<tool_call>{"name": "get_weather", "arguments": null}</tool_call>',
    toolCalls: "malformed",
  },
  "arguments twice": {
    output: '<tool_call>{"name": "ping", "arguments": {}, "parameters": {"a": 1}}</tool_call>',
    content: '<tool_call>{"name": "ping", "arguments": {}, "parameters": {"a": 1}}</tool_call>',
    toolCalls: "malformed",
  },
  "null for the arguments of an unknown tool": {
    output: '<tool_call>{"name": "pong", "arguments": null}</tool_call>',
    content: '<tool_call>{"name": "pong", "arguments": null}</tool_call>',
    toolCalls: "malformed",
  },
};

const KIMI_HEAD = "<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>";
const KIMI_K2: Record<string, Fixture> = {
  "no arguments for a tool without parameters": {
    output: `${KIMI_HEAD} <|tool_call_end|>`,
    calls: [["ping", "{}", "functions.ping:0"]],
  },
  "null for the arguments of a tool without parameters": {
    output: `${KIMI_HEAD}null<|tool_call_end|>`,
    calls: [["ping", "{}", "functions.ping:0"]],
  },
  "no arguments for a tool with parameters": {
    output: `${KIMI_HEAD.replace("ping", "edit")}<|tool_call_end|>`,
    content: `${KIMI_HEAD.replace("ping", "edit")}<|tool_call_end|>`,
    toolCalls: "malformed",
  },
  "a call that the token limit cuts off before its arguments": {
    output: KIMI_HEAD,
    content: KIMI_HEAD,
    toolCalls: "malformed",
    end: "length",
  },
};

const DEEPSEEK_V31: Record<string, Fixture> = {
  "no arguments for a tool without parameters": {
    output: "<｜tool▁call▁begin｜>ping<｜tool▁sep｜><｜tool▁call▁end｜>",
    calls: [["ping", "{}"]],
  },
};

const MISTRAL: Record<string, Fixture> = {
  "no arguments for a tool without parameters": {
    output: "[TOOL_CALLS]ping[ARGS][TOOL_CALLS]ping[ARGS]null",
    calls: [
      ["ping", "{}"],
      ["ping", "{}"],
    ],
  },
};

const BEGIN = "<｜DSML｜function_calls>\n";
const END = "\n</｜DSML｜function_calls>";
const invoke = (name: string, body: string) => `<｜DSML｜invoke name="${name}">\n${body}\n</｜DSML｜invoke>`;
const dsmlParam = (key: string, isText: boolean, value: string) =>
  `<｜DSML｜parameter name="${key}" string="${isText}">${value}</｜DSML｜parameter>`;
const broken = invoke("get_weather", '{"city": "Rome"} so');

const DEEPSEEK_V32: Record<string, Fixture> = {
  "a JSON object as the body": {
    output: `${BEGIN}${invoke("get_weather", '{"city" : "Rome",\n "days": 2}')}${END}`,
    calls: [["get_weather", '{"city" : "Rome",\n "days": 2}']],
  },
  "a lone parameter `arguments`": {
    output: `${BEGIN}${invoke("get_weather", dsmlParam("arguments", false, ' {"city": "Rome"}'))}${END}`,
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "a lone parameter `arguments` that is marked as text": {
    output: `${BEGIN}${invoke("get_weather", dsmlParam("arguments", true, '{"city": "Rome"}'))}${END}`,
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "`arguments` with other keys than the tool's": {
    output: `${BEGIN}${invoke("get_weather", dsmlParam("arguments", false, '{"town": "Rome"}'))}${END}`,
    calls: [["get_weather", '{"arguments": {"town": "Rome"}}']],
  },
  "`arguments` beside another parameter": {
    output: `${BEGIN}${invoke("get_weather", `${dsmlParam("arguments", false, '{"city": "A"}')}\n${dsmlParam("days", false, "1")}`)}${END}`,
    calls: [["get_weather", '{"arguments": {"city": "A"}, "days": 1}']],
  },
  "a JSON object with text after it": {
    output: `${BEGIN}${broken}${END}`,
    content: `${BEGIN}${broken}${END}`,
    toolCalls: "malformed",
  },
};

const HARMONY = "<|start|>assistant<|channel|>commentary";
const GPT_OSS: Record<string, Fixture> = {
  "a tool result that the model invents": {
    output: `${HARMONY} to=functions.ping <|constrain|>json<|message|>{}<|call|><|start|>functions.ping to=assistant<|channel|>commentary<|message|>{"a": 1}<|end|>`,
    content: '{"a": 1}',
    calls: [["ping", "{}"]],
  },
  "a message to the assistant itself": {
    output: `${HARMONY} to=assistant<|message|>{"a": 1}<|end|>`,
    content: '{"a": 1}',
  },
  "no arguments for a tool without parameters": {
    output: `${HARMONY} to=functions.ping <|constrain|>json<|message|><|call|>`,
    calls: [["ping", "{}"]],
  },
};

const K3_JSON = '<|open|>json type="object"<|sep|>{"a": 1}<|close|>json<|sep|>';
const K3_ARGUMENT = '<|open|>argument key="b" type="number"<|sep|>2<|close|>argument<|sep|>';
const k3 = (...args: readonly string[]) =>
  `<|open|>call tool="ping" index="1"<|sep|>${args.join("")}<|close|>call<|sep|>`;
const k3Tools = (call: string) => `<|close|>response<|sep|><|open|>tools<|sep|>${call}<|close|>tools<|sep|>`;
const k3Malformed = (...args: readonly string[]): Fixture => ({
  output: k3Tools(k3(...args)),
  promptEnd: "<|open|>response<|sep|>",
  content: k3(...args),
  toolCalls: "malformed",
});

const KIMI_K3: Record<string, Fixture> = {
  "no arguments in a `json` element of a tool without parameters": {
    ...k3Malformed(),
    output: k3Tools(k3('<|open|>json type="object"<|sep|><|close|>json<|sep|>')),
    content: "",
    calls: [["ping", "{}"]],
    toolCalls: "calls",
  },
  "a `json` element before an argument": k3Malformed(K3_JSON, K3_ARGUMENT),
  "a `json` element behind an argument": k3Malformed(K3_ARGUMENT, K3_JSON),
};

const glm = (args: string) => `<tool_call>get_weather\n${args}</tool_call>`;
const CITY = "<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n";
const GLM: Record<string, Fixture> = {
  "a call behind reasoning without an end": {
    output: `<think>Hm.\n${glm(CITY)}`,
    reasoning: "Hm.",
    thought: ["<think>Hm.\n"],
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "calls in reasoning that ends later": {
    output: `<think>Try ${glm(CITY)}, or ${glm("")}?</think>\n${glm(CITY)}`,
    reasoning: `Try ${glm(CITY)}, or ${glm("")}?`,
    thought: [`<think>Try ${glm(CITY)}, or ${glm("")}?</think>`],
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "a call in reasoning that the token limit cuts off": {
    output: `<think>Try ${glm(CITY)}?`,
    reasoning: `Try ${glm(CITY)}?`,
    thought: [`<think>Try ${glm(CITY)}?`],
    end: "length",
  },
  "a last call that ends without its tag": {
    output: glm(CITY).replace("</tool_call>", ""),
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "a call that the token limit cuts off between arguments": {
    output: glm(CITY).replace("</tool_call>", ""),
    content: glm(CITY).replace("</tool_call>", ""),
    toolCalls: "malformed",
    end: "length",
  },
};

const SEED_REASONING: Record<string, Fixture> = {
  "a call behind reasoning without an end": {
    output: `<seed:think>Hm.\n${SEED_CALL("a")}`,
    reasoning: "Hm.",
    thought: ["<seed:think>Hm.\n"],
    calls: [["edit", '{"path": "a"}']],
  },
  "a call behind reasoning that the prompt began": {
    output: `Hm.${SEED_CALL("a")}`,
    promptEnd: "<seed:think>",
    reasoning: "Hm.",
    thought: ["Hm."],
    calls: [["edit", '{"path": "a"}']],
  },
};

const FAMILIES: [OutputFamilies, Record<string, Fixture>][] = [
  [calls("llama3_json"), LLAMA3],
  [calls("qwen3_coder"), QWEN3_CODER],
  [calls("seed_oss"), lines(SEED_CALL)],
  [calls("minimax_m2"), lines(MINIMAX_CALL)],
  [calls("hermes"), HERMES],
  [calls("kimi_k2"), KIMI_K2],
  [calls("deepseek_v31"), DEEPSEEK_V31],
  [calls("mistral"), MISTRAL],
  [calls("deepseek_v32"), DEEPSEEK_V32],
  [calls("gpt_oss"), GPT_OSS],
  [calls("kimi_k3"), KIMI_K3],
  [{ tools: "glm45", reasoning: "glm45" }, GLM],
  [{ tools: "seed_oss", reasoning: "seed_oss" }, SEED_REASONING],
];

const CASES = FAMILIES.flatMap(([families, fixtures]) =>
  makeTexts(families).flatMap(([kind, text]) =>
    Object.entries(fixtures).map(([name, fixture]) => ({ families, tools: families.tools, kind, text, name, fixture })),
  ),
);

describe("a parser of calls that models misspell", () => {
  it.each(CASES)("reads $name ($tools, markers are $kind)", ({ families, text, fixture }) => {
    expectFixture(text, families, fixture);
    expect(fixture.output).not.toBe("");
  });
});
