import { describe, expect, it } from "vitest";
import { loadChatModel } from "../../../../src/model/load-chat-model.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { writeModelFolder } from "../../support/model-folder.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { buildTag, describeStrictTools, describeStructure, toolWith } from "../support/structure-checks.js";
import type { WriteCalls } from "../support/written-calls.js";

const FAMILIES = { tools: "gemma4", reasoning: "gemma4" } as const;

const quoted = (text: string): string => `<|"|>${text}<|"|>`;
const call = (name: string, args = ""): string => `<|tool_call>call:${name}{${args}}<tool_call|>`;

const malformed = (output: string): Fixture => ({ output, content: output, toolCalls: "malformed" });

const CALLS: Record<string, Fixture> = {
  "text and two calls": {
    output: `I look.\n${call("get_weather", `city:${quoted("12")},days:3,metric:true`)}${call("ping")}`,
    content: "I look.",
    calls: [
      ["get_weather", '{"city": "12", "days": 3, "metric": true}'],
      ["ping", "{}"],
    ],
  },
  "strings of several lines with quotes, braces and commas": {
    output: call("edit", `note:${quoted('\n {"a": "b"}, \\n [c]:\n')},path:${quoted("")}`),
    calls: [["edit", '{"note": "\\n {\\"a\\": \\"b\\"}, \\\\n [c]:\\n", "path": ""}']],
  },
  "nested objects and lists, and numbers and words of Python": {
    output: call(
      "edit",
      `lines:[1,${quoted("x")},[],[true,None]],options:{a b:{:-0.5},${quoted("k")}:{}},scale:1e-07,other:False`,
    ),
    calls: [
      [
        "edit",
        '{"lines": [1, "x", [], [true, null]], "options": {"a b": {"": -0.5}, "k": {}}, "scale": 1e-07, "other": false}',
      ],
    ],
  },
  "strings in the quotes of JSON and Python, and without quotes": {
    output: call("edit", `path:"a, \\"b\\"",lines:['it\\'s', "}"],options:{"mode": fast one},note:a:b`),
    calls: [
      ["edit", '{"path": "a, \\"b\\"", "lines": ["it\'s", "}"], "options": {"mode": "fast one"}, "note": "a:b"}'],
    ],
  },
  "white space between the parts": {
    output: call("get_weather", `\n  city: ${quoted("Rome")} ,\n  days : 3\n`),
    calls: [["get_weather", '{"city": "Rome", "days": 3}']],
  },
  "a name without its prefix": { output: "<|tool_call>ping{}<tool_call|>", calls: [["ping", "{}"]] },
  "a name with half of its prefix": { output: "<|tool_call>:ping{}<tool_call|>", calls: [["ping", "{}"]] },
  "a last call that is not closed": { output: "<|tool_call>call:ping{}", calls: [["ping", "{}"]] },
  "a tool that the request does not have": { output: call("pong"), calls: [["pong", "{}"]] },
  "text after a call": { output: `${call("ping")}\nDone.`, content: "Done.", calls: [["ping", "{}"]] },
  "a call without a name": malformed(call("")),
  "a call without braces": malformed("<|tool_call>call:ping<tool_call|>"),
  "a key without a value": malformed(call("ping", "a:")),
  "a value without a key": malformed(call("ping", quoted("a"))),
  "a string that is not closed": malformed('<|tool_call>call:ping{a:<|"|>b}<tool_call|>'),
  "text after the braces": malformed("<|tool_call>call:ping{} now<tool_call|>"),
  "nesting that is too deep": malformed(call("ping", `a:${"[".repeat(130)}`)),
  "a malformed call next to another": {
    output: call("ping", "a") + call("ping"),
    content: call("ping", "a"),
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a call that the token limit cuts off": { ...malformed('<|tool_call>call:ping{a:<|"|>b'), end: "length" },
};

const REASONING: Record<string, Fixture> = {
  "reasoning, text and a call": {
    output: `<|channel>thought\nHm.\n<channel|>Ok.${call("ping")}`,
    reasoning: "Hm.",
    thought: ["<|channel>thought\nHm.\n<channel|>"],
    content: "Ok.",
    calls: [["ping", "{}"]],
  },
  "reasoning that begins like its label": {
    output: "<|channel>thoughts<channel|>Hi!",
    reasoning: "thoughts",
    thought: ["<|channel>thoughts<channel|>"],
    content: "Hi!",
  },
  "reasoning that the prompt has begun": {
    output: "Hm.<channel|>Hi!",
    promptEnd: "<|turn>model\n<|channel>thought\n",
    reasoning: "Hm.",
    thought: ["Hm.<channel|>"],
    content: "Hi!",
  },
  "a label after a prompt that has begun the channel": {
    output: "thought\nHm.<channel|>Hi!",
    promptEnd: "<|turn>model\n<|channel>",
    reasoning: "Hm.",
    thought: ["thought\nHm.<channel|>"],
    content: "Hi!",
  },
  "no reasoning after a prompt that has ended it": {
    output: "Hi!",
    promptEnd: "<|turn>model\n<|channel>thought\n<channel|>",
    content: "Hi!",
  },
  "an empty channel": {
    output: "<|channel>thought\n<channel|>Hi!",
    thought: ["<|channel>thought\n<channel|>"],
    content: "Hi!",
  },
  "a call that ends the reasoning": {
    output: `<|channel>thought\nHm.\n${call("ping")}`,
    reasoning: "Hm.",
    thought: ["<|channel>thought\nHm.\n"],
    calls: [["ping", "{}"]],
  },
  "reasoning that the token limit cuts off": {
    output: "<|channel>thought\nHm.",
    end: "length",
    reasoning: "Hm.",
    thought: ["<|channel>thought\nHm."],
  },
};

describe.each(makeTexts(FAMILIES))("the gemma4 parser, markers are %s", (_, text) => {
  it.each(Object.entries({ ...CALLS, ...REASONING }))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});

const spell = (json: string): string => (json.startsWith('"') ? quoted(JSON.parse(json) as string) : json);
const write: WriteCalls = (calls) =>
  calls
    .map(({ name, args }) => {
      const members = Object.entries(args).map(([key, value]) => `${key}:${spell(value)}`);
      return call(name, members.join(","));
    })
    .join("");

describeStructure("gemma4", write);
describeStrictTools("gemma4", write);

describe("the gemma4 grammar", () => {
  const tools = [
    toolWith(
      "edit",
      {
        text: { type: "string", enum: ["x", "y"] },
        Points: { type: "array", items: { $ref: "#/$defs/point" } },
        note: { anyOf: [{ type: "string" }, { type: "null" }] },
        any: {},
      },
      ["text"],
    ),
  ];
  Object.assign(tools[0]?.function["parameters"] as object, {
    $defs: {
      point: { type: "object", properties: { y: { type: "number" }, x: { type: "integer" } }, required: ["x"] },
    },
  });

  it.each([
    [`text:${quoted("x")}`, true],
    [`text:${quoted("z")}`, false],
    [`note:${quoted("a\n<b> {")},text:${quoted("y")}`, true],
    [`note:null,text:${quoted("y")}`, true],
    [`note:5,text:${quoted("y")}`, false],
    [`text:${quoted("y")},note:null`, false],
    [`Points:[{x:1,y:2.5},{x:2}],text:${quoted("y")}`, true],
    [`Points:[],text:${quoted("y")}`, true],
    [`Points:[{y:2.5}],text:${quoted("y")}`, false],
    [`any:{a:[1,${quoted("b<c")},{}],d e:true},note:null,text:${quoted("y")}`, true],
    [`any:{a:"b"},text:${quoted("y")}`, false],
  ])("takes %s: %s", async (args, isAccepted) => {
    const tag = buildTag("gemma4", { tools, mustCall: true });
    expect(await accepts(tag, call("edit", args))).toBe(isAccepted);
  });

  it("allows a thought channel before a call", async () => {
    const tag = buildTag("gemma4", { mustCall: true }, "gemma4");
    const ping = call("ping");
    expect(await accepts(tag, `<|channel>thought\nHm, ${ping}?<channel|>${ping}`)).toBe(true);
    const open = buildTag("gemma4", { mustCall: true, promptEnd: "<|channel>thought\n" }, "gemma4");
    expect([await accepts(open, `Hm.<channel|>${ping}`), await accepts(open, ping)]).toEqual([true, false]);
  });
});

/** A template in the manner of the published one. */
const TEMPLATE = `{%- for message in messages %}
  {%- if message.role == 'assistant' %}
    {{- '<|turn>model\\n' }}
    {%- if message.reasoning_content %}{{- '<|channel>thought\\n' + message.reasoning_content + '\\n<channel|>' }}{% endif %}
    {%- for call in message.tool_calls or [] %}{{- '<|tool_call>call:' + call.function.name + '{}<tool_call|>' }}{%- endfor %}
  {%- endif %}
  {{- message.content + '<turn|>\\n' }}
{%- endfor %}`;

describe("chooseFamilies", () => {
  it("detects gemma4 by its template", async () => {
    expect((await loadChatModel(writeModelFolder(TEMPLATE, ["<turn|>"]))).families).toEqual(FAMILIES);
  });
});
