import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { byteLevelText, encodeText } from "../support/outputs.js";

const calls = (tools: OutputFamilies["tools"]): OutputFamilies => ({ tools, reasoning: "none" });
const WEATHER = '{"city": "Paris", "days": 3}';
const FENCED = `get_weather\n\`\`\`json\n${WEATHER}\n\`\`\``;

const DEEPSEEK_V3: Record<string, Fixture> = {
  "text and two calls": {
    output:
      `Sure.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${FENCED}<｜tool▁call▁end｜>\n` +
      "<｜tool▁call▁begin｜>function<｜tool▁sep｜>ping\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    content: "Sure.",
    calls: [
      ["get_weather", WEATHER],
      ["ping", "{}"],
    ],
  },
  "a call without the markers around it": {
    output: `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${FENCED}<｜tool▁call▁end｜>`,
    calls: [["get_weather", WEATHER]],
  },
  "a call without a fence": {
    output:
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ping {}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    content:
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ping {}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    toolCalls: "malformed",
  },
  "markers around nothing": {
    output: "a<｜tool▁calls▁begin｜> b",
    content: "a<｜tool▁calls▁begin｜> b",
    toolCalls: "malformed",
  },
};

const DEEPSEEK_V31: Record<string, Fixture> = {
  "text and two calls": {
    output:
      `Sure.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${WEATHER}<｜tool▁call▁end｜>` +
      "<｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    content: "Sure.",
    calls: [
      ["get_weather", WEATHER],
      ["ping", "{}"],
    ],
  },
};

const DSML_CALL =
  '<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris\n</｜DSML｜parameter>\n' +
  '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>';
const DSML_PING = '<｜DSML｜invoke name="ping">\n\n</｜DSML｜invoke>';
const DSML_WEATHER = '{"city": "Paris\\n", "days": 3}';

const dsml = (section: string): Record<string, Fixture> => {
  const [begin, end] = [`<｜DSML｜${section}>`, `</｜DSML｜${section}>`];
  const broken = DSML_CALL.replace('string="false"', "");
  return {
    "text and two calls": {
      output: `Sure.\n\n${begin}\n${DSML_CALL}\n${DSML_PING}\n${end}`,
      content: "Sure.",
      calls: [
        ["get_weather", DSML_WEATHER],
        ["ping", "{}"],
      ],
    },
    "a parameter without a type": {
      output: `${begin}\n${broken}\n${end}`,
      content: `${begin}\n${broken}\n${end}`,
      toolCalls: "malformed",
    },
    "a call that is cut off": {
      output: `${begin}\n${DSML_CALL.slice(0, -20)}`,
      end: "length",
      content: `${begin}\n${DSML_CALL.slice(0, -20)}`,
      toolCalls: "malformed",
    },
  };
};

const K3_CALL =
  '<|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Paris "<|close|>argument<|sep|>' +
  '<|open|>argument key="days" type="number"<|sep|>3.0<|close|>argument<|sep|><|close|>call<|sep|>';
const K3_PING = '<|open|>call tool="ping" index="2"<|sep|><|close|>call<|sep|>';
const K3_JSON =
  '<|open|>call tool="edit" index="1"<|sep|><|open|>json type="object"<|sep|>{"a" : 1.0}<|close|>json<|sep|><|close|>call<|sep|>';
const k3Tools = (...calls: readonly string[]) => `<|open|>tools<|sep|>${calls.join("")}<|close|>tools<|sep|>`;
const K3_END = "<|close|>message<|sep|>";
const K3_OPEN = '<|open|>message role="assistant"<|sep|><|open|>response<|sep|>';

const KIMI_K3: Record<string, Fixture> = {
  "text and two calls": {
    output: `Sure.<|close|>response<|sep|>${k3Tools(K3_CALL, K3_PING)}${K3_END}`,
    promptEnd: K3_OPEN,
    content: "Sure.",
    calls: [
      ["get_weather", '{"city": "Paris \\"", "days": 3.0}'],
      ["ping", "{}"],
    ],
  },
  "arguments as JSON": {
    output: `<|open|>response<|sep|><|close|>response<|sep|>${k3Tools(K3_JSON)}${K3_END}`,
    calls: [["edit", '{"a" : 1.0}']],
  },
  "an invalid number next to a valid call": {
    output: `<|close|>response<|sep|>${k3Tools(K3_CALL.replace("3.0", "three"), K3_PING)}${K3_END}`,
    promptEnd: K3_OPEN,
    content: K3_CALL.replace("3.0", "three"),
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a call that is cut off": {
    output: `So.<|close|>response<|sep|><|open|>tools<|sep|>${K3_CALL.slice(0, -30)}`,
    promptEnd: K3_OPEN,
    end: "length",
    content: `So.\n${K3_CALL.slice(0, -30)}`,
    toolCalls: "malformed",
  },
  "text without elements": { output: "Hello, all.", content: "Hello, all." },
  "a tag that is cut off": {
    output: "Hi.<|close|>response<|sep|><|open|>to",
    promptEnd: K3_OPEN,
    end: "length",
    content: "Hi.",
  },
};

const KIMI: Record<string, Fixture> = {
  "text and two calls, with their ids": {
    output:
      "Sure.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>" +
      `${WEATHER}<|tool_call_end|><|tool_call_begin|>functions.ping:1<|tool_call_argument_begin|>{\n}<|tool_call_end|>` +
      "<|tool_calls_section_end|>",
    content: "Sure.",
    calls: [
      ["get_weather", WEATHER, "functions.get_weather:0"],
      ["ping", "{\n}", "functions.ping:1"],
    ],
  },
  "a call without an index": {
    output: "<|tool_call_begin|>ping<|tool_call_argument_begin|>{}<|tool_call_end|>",
    content: "<|tool_call_begin|>ping<|tool_call_argument_begin|>{}<|tool_call_end|>",
    toolCalls: "malformed",
  },
};

const MISTRAL: Record<string, Fixture> = {
  "a list of calls": {
    output: `Sure.[TOOL_CALLS] [{"name": "get_weather", "arguments": ${WEATHER}}, {"name": "ping", "arguments": {}}]`,
    content: "Sure.",
    calls: [
      ["get_weather", WEATHER],
      ["ping", "{}"],
    ],
  },
  "a list with an invalid item": {
    output: '[TOOL_CALLS][{"name": "ping", "arguments": {}}, 5]',
    content: ", 5]",
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "calls as name and arguments": {
    output: `[TOOL_CALLS]get_weather[ARGS]${WEATHER}[TOOL_CALLS]ping[CALL_ID]abcDEF123[ARGS]{}`,
    calls: [
      ["get_weather", WEATHER],
      ["ping", "{}", "abcDEF123"],
    ],
  },
  "a call without the marker after its name": {
    output: "[TOOL_CALLS]ping{}",
    calls: [["ping", "{}"]],
  },
  "a marker without a call": {
    output: "[TOOL_CALLS] no call",
    content: "[TOOL_CALLS] no call",
    toolCalls: "malformed",
  },
};

const LLAMA3: Record<string, Fixture> = {
  "a bare object": {
    output: `{"name": "get_weather", "parameters": ${WEATHER}}`,
    calls: [["get_weather", WEATHER]],
  },
  "several objects": {
    output: '{"type": "function", "name": "ping", "parameters": {}}; {"name": "ping", "arguments": {"a": 1}}',
    calls: [
      ["ping", "{}"],
      ["ping", '{"a": 1}'],
    ],
  },
  "a call after the tag": { output: '<|python_tag|>{"name": "other", "parameters": {}}', calls: [["other", "{}"]] },
  "text before the tag": {
    output: 'So <|python_tag|>{"name": "ping", "parameters": {}}',
    content: "So",
    calls: [["ping", "{}"]],
  },
  "an answer in JSON": { output: ' {"answer": {"name": "ping"}} ', content: ' {"answer": {"name": "ping"}} ' },
  "an answer that is an object with a name": {
    output: '{"name": "Ada", "parameters": 5}',
    content: '{"name": "Ada", "parameters": 5}',
  },
  "an object after text": {
    output: 'Call {"name": "ping", "parameters": {}}',
    content: 'Call {"name": "ping", "parameters": {}}',
  },
  "the tag before code": {
    output: "<|python_tag|>print(1)",
    content: "<|python_tag|>print(1)",
    toolCalls: "malformed",
  },
  "text after a call": {
    output: '{"name": "ping", "parameters": {}}\n\nDone.',
    content: "Done.",
    calls: [["ping", "{}"]],
  },
};

const FAMILIES: [OutputFamilies, Record<string, Fixture>][] = [
  [calls("deepseek_v3"), DEEPSEEK_V3],
  [calls("deepseek_v31"), DEEPSEEK_V31],
  [calls("deepseek_v32"), dsml("function_calls")],
  [calls("deepseek_v4"), dsml("tool_calls")],
  [calls("kimi_k2"), KIMI],
  [calls("kimi_k3"), KIMI_K3],
  [calls("mistral"), MISTRAL],
  [calls("llama3_json"), LLAMA3],
];

const CASES = FAMILIES.flatMap(([families, fixtures]) =>
  makeTexts(families).flatMap(([kind, text]) =>
    Object.entries(fixtures).map(([name, fixture]) => ({ families, tools: families.tools, kind, text, name, fixture })),
  ),
);

describe("DeepSeek's tags that contain a token", () => {
  it.each([true, false])("are read like their spelling (special token: %s)", (special) => {
    const text = byteLevelText([{ content: "｜DSML｜", special }]);
    for (const fixture of Object.values(dsml("tool_calls"))) {
      expect(encodeText(text, fixture.output).length).toBeLessThan(
        encodeText(byteLevelText([]), fixture.output).length,
      );
      expectFixture(text, calls("deepseek_v4"), fixture);
    }
  });
});

describe("a parser of calls by name and arguments", () => {
  it.each(CASES)("reads $name ($tools, markers are $kind)", ({ families, text, fixture }) => {
    expectFixture(text, families, fixture);
    expect(fixture.output).not.toBe("");
  });
});
