import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";

const calls = (tools: OutputFamilies["tools"]): OutputFamilies => ({ tools, reasoning: "none" });

const param = (key: string, value: string): string => `<parameter=${key}>\n${value}\n</parameter>\n`;

const QWEN3_CODER: Record<string, Fixture> = {
  "values by the types of the schema": {
    output:
      `I look.\n\n<tool_call>\n<function=get_weather>\n${param("city", "12")}${param("days", "3")}` +
      `${param("metric", "True")}</function>\n</tool_call>`,
    content: "I look.",
    calls: [["get_weather", '{"city": "12", "days": 3, "metric": true}']],
  },
  "text of several lines, lists and objects": {
    output:
      `<tool_call>\n<function=edit>\n${param("path", '\na <b> "c" \\\n')}${param("lines", '["a", 1.50]')}` +
      `${param("options", "{'a': None, 'b': (1,)}")}${param("scale", "1e3")}${param("note", "null")}</function>\n</tool_call>`,
    calls: [
      [
        "edit",
        '{"path": "\\na <b> \\"c\\" \\\\\\n", "lines": ["a", 1.50], "options": {"a": null, "b": [1]}, "scale": 1e3, "note": null}',
      ],
    ],
  },
  "values of the wrong type": {
    output: `<tool_call>\n<function=edit>\n${param("scale", "big")}${param("note", "7")}${param("other", "5")}</function>\n</tool_call>`,
    calls: [["edit", '{"scale": "big", "note": "7", "other": "5"}']],
  },
  "several calls": {
    output:
      "<tool_call>\n<function=ping>\n</function>\n</tool_call>\n<tool_call>\n<function=ping></function>\n</tool_call>\nDone.",
    content: "Done.",
    calls: [
      ["ping", "{}"],
      ["ping", "{}"],
    ],
  },
  "calls without some of their tags": {
    output: "So:\n<function=get_weather>\n<parameter=city>\nRome\n<parameter=days>\n1\n</function>",
    content: "So:",
    calls: [["get_weather", '{"city": "Rome", "days": 1}']],
  },
  "a parameter outside of a call": {
    output: "<parameter=city>Rome</parameter>",
    content: "<parameter=city>Rome</parameter>",
  },
  "a call that is cut off before its first parameter": {
    output: "<tool_call>\n<function=get_weather>\n<parameter=city>\nRo",
    content: "<tool_call>\n<function=get_weather>\n<parameter=city>\nRo",
    toolCalls: "malformed",
    end: "length",
  },
  "a call that is cut off after its first parameter": {
    output: `<tool_call>\n<function=get_weather>\n${param("city", "Rome")}<parameter=da`,
    content: `<tool_call>\n<function=get_weather>\n${param("city", "Rome")}<parameter=da`,
    toolCalls: "malformed",
    end: "length",
  },
};

const MINIMAX: Record<string, Fixture> = {
  "two calls": {
    output:
      'Ok.\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Rome</parameter>\n' +
      '<parameter name="days">2</parameter>\n</invoke>\n<invoke name="ping">\n</invoke>\n</minimax:tool_call>',
    content: "Ok.",
    calls: [
      ["get_weather", '{"city": "Rome", "days": 2}'],
      ["ping", "{}"],
    ],
  },
};

const SEED: Record<string, Fixture> = {
  "a call": {
    output:
      "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Rome</parameter>\n</function>\n</seed:tool_call>",
    calls: [["get_weather", '{"city": "Rome"}']],
  },
  "text that ends its last line": {
    output: "<seed:tool_call>\n<function=edit>\n<parameter=path>a\n\n</parameter>\n</function>\n</seed:tool_call>",
    calls: [["edit", '{"path": "a\\n\\n"}']],
  },
};

const arg = (key: string, value: string, between = "\n"): string =>
  `<arg_key>${key}</arg_key>${between}<arg_value>${value}</arg_value>${between}`;

const GLM: Record<string, Fixture> = {
  "two calls over several lines": {
    output:
      `Ok.\n<tool_call>get_weather\n${arg("city", "12")}${arg("days", "3")}</tool_call>\n` +
      `<tool_call>edit\n${arg("path", "null")}${arg("other", '{"a":1}')}${arg("more", "text")}</tool_call>`,
    content: "Ok.",
    calls: [
      ["get_weather", '{"city": "12", "days": 3}'],
      ["edit", '{"path": "null", "other": {"a":1}, "more": "text"}'],
    ],
  },
  "a call on one line": {
    output: `<tool_call>get_weather${arg("city", " Ro\nme ", "")}${arg("metric", "false", "")}</tool_call>`,
    calls: [["get_weather", '{"city": " Ro\\nme ", "metric": false}']],
  },
  "a call without arguments": { output: "<tool_call>ping\n</tool_call>", calls: [["ping", "{}"]] },
  "a call without a name": {
    output: "<tool_call>\n</tool_call>",
    content: "<tool_call>\n</tool_call>",
    toolCalls: "malformed",
  },
  "a key without a value": {
    output: "<tool_call>ping\n<arg_key>a</arg_key></tool_call>",
    content: "<tool_call>ping\n<arg_key>a</arg_key></tool_call>",
    toolCalls: "malformed",
  },
};

const PYTHONIC: Record<string, Fixture> = {
  "several calls": {
    output: `[get_weather(city='Pa"r\\'is', days=3), ping(), edit(lines=[1, (2, 'x,)')], options={'a': None}, scale=.5)]`,
    calls: [
      ["get_weather", '{"city": "Pa\\"r\'is", "days": 3}'],
      ["ping", "{}"],
      ["edit", '{"lines": [1, [2, "x,)"]], "options": {"a": null}, "scale": 0.5}'],
    ],
  },
  "markers around calls, and triple-quoted strings": {
    output: '<|python_start|>[edit(path="""a\n"b" """, note=\'\', scale=-1_000)]<|python_end|>',
    calls: [["edit", '{"path": "a\\n\\"b\\" ", "note": "", "scale": -1000}']],
  },
  "a list without calls": { output: '[1, 2, ping]\n["a"]', content: '[1, 2, ping]\n["a"]' },
  "a function that is not a tool": { output: "[print(1)]", content: "[print(1)]" },
  "text before": { output: "Now [ping()]", content: "Now [ping()]" },
  "text after": { output: "[ping()]\nDone.", content: "Done.", calls: [["ping", "{}"]] },
  "an argument without a name": {
    output: "[get_weather('Paris')]",
    content: "[get_weather('Paris')]",
    toolCalls: "malformed",
  },
  "a value that is not a literal": {
    output: "[get_weather(city=here, days=1)] x",
    content: "[get_weather(city=here, days=1)] x",
    toolCalls: "malformed",
  },
};

const FAMILIES: [OutputFamilies, Record<string, Fixture>][] = [
  [calls("qwen3_coder"), QWEN3_CODER],
  [calls("minimax_m2"), MINIMAX],
  [calls("seed_oss"), SEED],
  [calls("glm45"), GLM],
  [calls("pythonic"), PYTHONIC],
];

const CASES = FAMILIES.flatMap(([families, fixtures]) =>
  makeTexts(families).flatMap(([kind, text]) =>
    Object.entries(fixtures).map(([name, fixture]) => ({ families, tools: families.tools, kind, text, name, fixture })),
  ),
);

describe("a parser of calls without JSON arguments", () => {
  it.each(CASES)("reads $name ($tools, markers are $kind)", ({ families, text, fixture }) => {
    expectFixture(text, families, fixture);
    expect(fixture.output).not.toBe("");
  });
});
