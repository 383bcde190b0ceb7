import { describe, expect, it } from "vitest";
import { findCallStructure, type OutputFamilies, type ToolFamily } from "../../../../src/model/output/family-lookup.js";
import { buildOutputStructure } from "../../../../src/model/output/structure/output-structure.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { buildTag, describeStrictTools, describeStructure, RULES } from "../support/structure-checks.js";
import type { MeantCall, WriteCalls } from "../support/written-calls.js";

/** Families whose calls are a JSON list, or one JSON object, behind a marker. */

const WEATHER = '{"city": "Paris [1] \\"}]\\"", "days": 3}';
const call = (name: string, args: string): string => `{"name": "${name}", "arguments": ${args}}`;
const PING = call("ping", "{}");

const malformed = (output: string): Fixture => ({ output, content: output, toolCalls: "malformed" });

/** Outputs of families with `{"name": …, "arguments": …}` between two markers. */
const listed = (begin: string, end: string): Record<string, Fixture> => ({
  "text and two calls": {
    output: `Sure.\n${begin}[${call("get_weather", WEATHER)}, ${PING}]${end}`,
    content: "Sure.",
    calls: [
      ["get_weather", WEATHER],
      ["ping", "{}"],
    ],
  },
  "unusual spelling": {
    output: `${begin} [ { "arguments" : { "path":"\\u00e9\\/" ,"scale": 1.50e+1 } , "name":"edit" } ,\n${PING} ] ${end}`,
    calls: [
      ["edit", '{ "path":"\\u00e9\\/" ,"scale": 1.50e+1 }'],
      ["ping", "{}"],
    ],
  },
  "text after a list, and another list": {
    output: `${begin}[${PING}]${end}\n\nAgain.\n${begin}[${PING}]${end} Done.`,
    content: "Again.\nDone.",
    calls: [
      ["ping", "{}"],
      ["ping", "{}"],
    ],
  },
  "a single object": { output: `${begin}${PING}${end}`, calls: [["ping", "{}"]] },
  "a tool that the request does not have": { output: `${begin}[${call("pong", "{}")}]${end}`, calls: [["pong", "{}"]] },
  "a list without its bracket": { output: `${begin}[${PING}${end}`, calls: [["ping", "{}"]] },
  "a list without the marker at its end": { output: `${begin}[${PING}]`, calls: [["ping", "{}"]] },
  "a list that ends after a call": { output: `${begin}[${PING}`, calls: [["ping", "{}"]] },
  "an empty list": malformed(`${begin}[]${end}`),
  "no list": malformed(`A\n${begin}ping()${end}\nB`),
  "a call without a name": malformed(`${begin}[{"arguments": {}}]${end}`),
  "an invalid item after a call": {
    output: `${begin}[${PING}, 5]${end}`,
    content: `, 5]${end}`,
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a call that the token limit cuts off": {
    ...malformed(`So:\n${begin}[{"name": "get_weather", "arguments": {"city": "Pa`),
    end: "length",
  },
  "the marker alone": { ...malformed(`So: ${begin}`), end: "length" },
});

const HUNYUAN: Record<string, Fixture> = {
  ...listed("<tool_calls>", "</tool_calls>"),
  "reasoning, and a call in the answer's tags": {
    output: `<think>\nHm.\n</think>\n<answer>\n<tool_calls>[${PING}]</tool_calls>\n</answer>`,
    reasoning: "Hm.",
    thought: ["<think>\nHm.\n</think>"],
    calls: [["ping", "{}"]],
  },
  "no reasoning, and text in the answer's tags": {
    output: "<think>\n\n</think>\n<answer>\n助手：Hi!\nHo.\n</answer>\n",
    thought: ["<think>\n\n</think>"],
    content: "Hi!\nHo.",
  },
  "an answer without tags after a prompt that has ended the reasoning": {
    output: "助手：Hi!",
    promptEnd: "<think>\n\n</think>\n",
    content: "Hi!",
  },
  "the answer's tags in the text": {
    output: "<answer>Write <answer>5</answer> or </answer>, 助手：please.</answer>",
    content: "Write <answer>5</answer> or </answer>, 助手：please.",
  },
  "an answer that the token limit cuts off": {
    output: "<answer>Hi!\n</ans",
    content: "Hi!\n</ans",
    end: "length",
  },
  "a call in the reasoning, which is not a call": {
    output: `<think>Try <tool_calls>[${PING}]</tool_calls>?</think><answer>No.</answer>`,
    reasoning: `Try <tool_calls>[${PING}]</tool_calls>?`,
    thought: [`<think>Try <tool_calls>[${PING}]</tool_calls>?</think>`],
    content: "No.",
  },
};

const PHI: Record<string, Fixture> = {
  ...listed("<|tool_call|>", "<|/tool_call|>"),
  "calls after the word": {
    output: `Sure. functools[${call("get_weather", WEATHER)}, ${PING}]\nDone.`,
    content: "Sure.\nDone.",
    calls: [
      ["get_weather", WEATHER],
      ["ping", "{}"],
    ],
  },
  "a list after the word that is cut off": { ...malformed(`functools[${PING.slice(0, -1)}`), end: "length" },
  "the word in an answer": { output: "from functools import cache", content: "from functools import cache" },
};

const GIGACHAT: Record<string, Fixture> = {
  "text and a call": {
    output: `Sure.<|function_call|>${call("get_weather", WEATHER)}`,
    content: "Sure.",
    calls: [["get_weather", WEATHER]],
  },
  "a call alone": { output: `<|function_call|> ${PING}\n`, calls: [["ping", "{}"]] },
  "a call without a name": malformed('<|function_call|>{"arguments": {}}'),
  "a call that the token limit cuts off": {
    ...malformed('So <|function_call|>{"name": "ping", "arguments": {"a'),
    end: "length",
  },
};

const APERTUS: Record<string, Fixture> = {
  "reasoning, text and two calls": {
    output: `<|inner_prefix|>Hm.<|inner_suffix|>Sure.<|tools_prefix|>[{"get_weather": ${WEATHER}}, { "ping" : {} }]<|tools_suffix|>`,
    reasoning: "Hm.",
    thought: ["<|inner_prefix|>Hm.<|inner_suffix|>"],
    content: "Sure.",
    calls: [
      ["get_weather", WEATHER],
      ["ping", "{}"],
    ],
  },
  "a list that ends after a call": { output: '<|tools_prefix|>[{"ping": {}}', calls: [["ping", "{}"]] },
  "two functions in an object": malformed('<|tools_prefix|>[{"ping": {}, "edit": {}}]<|tools_suffix|>'),
  "arguments that are not an object": malformed('<|tools_prefix|>[{"ping": []}]<|tools_suffix|>'),
  "an empty name": malformed('<|tools_prefix|>[{"": {}}]<|tools_suffix|>'),
  "a call that the token limit cuts off": { ...malformed('<|tools_prefix|>[{"ping": {'), end: "length" },
};

const FAMILIES: [OutputFamilies, Record<string, Fixture>][] = [
  [{ tools: "nemotron_nano_v2", reasoning: "none" }, listed("<TOOLCALL>", "</TOOLCALL>")],
  [{ tools: "hunyuan_a13b", reasoning: "hunyuan_a13b" }, HUNYUAN],
  [{ tools: "phi4_mini", reasoning: "none" }, PHI],
  [{ tools: "gigachat3", reasoning: "none" }, GIGACHAT],
  [{ tools: "apertus", reasoning: "apertus" }, APERTUS],
];

const CASES = FAMILIES.flatMap(([families, fixtures]) =>
  makeTexts(families).flatMap(([kind, text]) =>
    Object.entries(fixtures).map(([name, fixture]) => ({ families, tools: families.tools, kind, text, name, fixture })),
  ),
);

describe("a parser of JSON behind a marker", () => {
  it.each(CASES)("reads $name ($tools, markers are $kind)", ({ families, text, fixture }) => {
    expectFixture(text, families, fixture);
    expect(fixture.output).not.toBe("");
  });
});

const object = ({ args }: MeantCall): string => {
  const members = Object.entries(args).map(([key, value]) => `"${key}": ${value}`);
  return `{${members.join(", ")}}`;
};
const writeList =
  (begin: string, end: string): WriteCalls =>
  (calls) =>
    `${begin}[${calls.map((each) => call(each.name, object(each))).join(", ")}]${end}`;

const WRITTEN: readonly (readonly [ToolFamily, WriteCalls])[] = [
  ["nemotron_nano_v2", writeList("<TOOLCALL>", "</TOOLCALL>")],
  ["hunyuan_a13b", writeList("<tool_calls>", "</tool_calls>")],
  ["phi4_mini", writeList("<|tool_call|>", "<|/tool_call|>")],
  ["gigachat3", (calls) => calls.map((each) => `<|function_call|>${call(each.name, object(each))}`).join("")],
  [
    "apertus",
    (calls) =>
      `<|tools_prefix|>[${calls.map((each) => `{"${each.name}": ${object(each)}}`).join(", ")}]<|tools_suffix|>`,
  ],
];

for (const [family, write] of WRITTEN) describeStructure(family, write);

describe("the structure of JSON behind a marker", () => {
  for (const [family, write] of WRITTEN) describeStrictTools(family, write);
});

describe("the phi4_mini grammar", () => {
  it("follows a template that asks for the word", async () => {
    const structure = findCallStructure("phi4_mini", (spelling) => spelling === "functools[");
    const built = buildOutputStructure(structure, undefined, { ...RULES, mustCall: true });
    if (built?.kind !== "structural_tag") throw new Error("no structural tag was built");
    expect(await accepts(built.tag, `functools[${call("get_weather", '{"city": "Oslo"}')}, ${PING}]`)).toBe(true);
    expect(await accepts(built.tag, `<|tool_call|>[${PING}]<|/tool_call|>`)).toBe(false);
  });
});

describe("the hunyuan_a13b grammar with its own reasoning", () => {
  const list = `<tool_calls>[${PING}]</tool_calls>`;

  it("accepts a call with or without the answer's tags, after reasoning or without it", async () => {
    const tag = buildTag("hunyuan_a13b", { mustCall: true }, "hunyuan_a13b");
    const thought = "<think>\nHm.\n</think>\n";
    const answers = [list, `<answer>\n${list}\n</answer>`, `<answer>${list}</answer>`];
    for (const text of answers.flatMap((answer) => [answer, thought + answer]))
      expect([text, await accepts(tag, text)]).toEqual([text, true]);
    expect(await accepts(tag, "<answer>\nHi!\n</answer>")).toBe(false);
  });

  it("accepts JSON or calls in the answer's tags", async () => {
    const jsonSchema = '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}';
    const tag = buildTag("hunyuan_a13b", { jsonSchema }, "hunyuan_a13b");
    for (const answer of ['{"a": 1}', list]) expect(await accepts(tag, `<answer>\n${answer}\n</answer>`)).toBe(true);
    expect(await accepts(tag, "<answer>\n{}\n</answer>")).toBe(false);
  });
});
