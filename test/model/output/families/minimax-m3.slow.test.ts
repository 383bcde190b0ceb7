import { describe, expect, it } from "vitest";
import type { Tool } from "../../../../src/conversation/message.js";
import { loadChatModel } from "../../../../src/model/load-chat-model.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { writeModelFolder } from "../../support/model-folder.js";
import { expectFixture, type Fixture, makeTexts, TOOLS } from "../support/fixtures.js";
import { byteLevelText, encodeText, one, read } from "../support/outputs.js";
import { buildTag, describeStrictTools, describeStructure, toolWith } from "../support/structure-checks.js";
import type { WriteCalls } from "../support/written-calls.js";

const FAMILIES = { tools: "minimax_m3", reasoning: "minimax_m3" } as const;

const NS = "]<]minimax[>[";
const el = (name: string, ...inside: readonly string[]): string => `${NS}<${name}>${inside.join("")}${NS}</${name}>`;
const call = (name: string, ...args: readonly string[]): string =>
  `${NS}<invoke name="${name}">${args.join("")}${NS}</invoke>`;
const section = (...calls: readonly string[]): string =>
  `${NS}<tool_call>\n${calls.map((each) => `${each}\n`).join("")}${NS}</tool_call>`;

const malformed = (output: string): Fixture => ({ output, content: output, toolCalls: "malformed" });

const CALLS: Record<string, Fixture> = {
  "text and two calls": {
    output: `I look.${section(call("get_weather", el("city", "12"), el("days", "3"), el("metric", "true")), call("ping"))}`,
    content: "I look.",
    calls: [
      ["get_weather", '{"city": "12", "days": 3, "metric": true}'],
      ["ping", "{}"],
    ],
  },
  "text of several lines with tags": {
    output: section(call("edit", el("path", "\n<a> ]<]x[>[ </path>\n"), el("note", "null"))),
    calls: [["edit", '{"path": "\\n<a> ]<]x[>[ </path>\\n", "note": null}']],
  },
  "nested lists and objects": {
    output: section(
      call(
        "edit",
        el("lines", el("item", "1"), el("item", el("item", "x"), el("item", "true")), el("item", el("a", "2.50"))),
        el("options", el("a b", el("", "-0.5")), el("item", "y"), el("c", "z")),
      ),
    ),
    calls: [
      ["edit", '{"lines": [1, ["x", true], {"a": 2.50}], "options": {"a b": {"": -0.5}, "item": "y", "c": "z"}}'],
    ],
  },
  "empty values by the schema, and JSON": {
    output: section(call("edit", el("path", ""), el("lines", ""), el("options", '{"a": [1]}'), el("other", ""))),
    calls: [["edit", '{"path": "", "lines": [], "options": {"a": [1]}, "other": ""}']],
  },
  "an element that repeats": {
    output: section(call("edit", el("lines", "a"), el("lines", "b"), el("options", el("k", "1"), el("k", "2")))),
    calls: [["edit", '{"lines": ["a", "b"], "options": {"k": [1, 2]}}']],
  },
  "white space between the tags": {
    output: section(call("get_weather", "\n", el("city", "Rome"), "\n", el("days", "3"), "\n")),
    calls: [["get_weather", '{"city": "Rome", "days": 3}']],
  },
  "a call without the tags of the section": { output: call("ping"), calls: [["ping", "{}"]] },
  "a last section that is not closed": { output: `${NS}<tool_call>\n${call("ping")}`, calls: [["ping", "{}"]] },
  "a tool that the request does not have": { output: section(call("pong")), calls: [["pong", "{}"]] },
  "tags without the namespace": {
    output: '<tool_call>\n<invoke name="ping"></invoke>\n</tool_call>',
    content: '<tool_call>\n<invoke name="ping"></invoke>\n</tool_call>',
  },
  "a call without a name": malformed(section(call(""))),
  "a parameter that is closed by another name": malformed(section(call("ping", `${NS}<a>1${NS}</b>`))),
  "a parameter that is not closed": malformed(section(call("ping", `${NS}<a>1`))),
  "text beside nested elements": malformed(section(call("ping", el("a", "x", el("b", "1"))))),
  "text between the parameters": malformed(section(call("ping", el("a", "1"), "and", el("b", "2")))),
  "a call that the token limit cuts off": {
    ...malformed(`${NS}<tool_call>\n${NS}<invoke name="ping">`),
    end: "length",
  },
};

const REASONING: Record<string, Fixture> = {
  "reasoning, text and a call": {
    output: `<mm:think>Hm.</mm:think>Ok.${section(call("ping"))}`,
    reasoning: "Hm.",
    thought: ["<mm:think>Hm.</mm:think>"],
    content: "Ok.",
    calls: [["ping", "{}"]],
  },
  "a closing marker without reasoning": { output: "</mm:think>Hi!", thought: ["</mm:think>"], content: "Hi!" },
  "a closing marker after white space, and a call": {
    output: `\n</mm:think>${section(call("ping"))}`,
    thought: ["\n</mm:think>"],
    calls: [["ping", "{}"]],
  },
  "a closing marker after text": { output: "Hi </mm:think> you", content: "Hi </mm:think> you" },
  "reasoning that the prompt has begun": {
    output: "Hm.</mm:think>Hi!",
    promptEnd: "]~b]ai\n<mm:think>",
    reasoning: "Hm.",
    thought: ["Hm.</mm:think>"],
    content: "Hi!",
  },
  "no reasoning after a prompt that has ended it": { output: "Hi!", promptEnd: "]~b]ai\n</mm:think>", content: "Hi!" },
  "a call that ends the reasoning": {
    output: `<mm:think>Hm.${section(call("ping"))}`,
    reasoning: "Hm.",
    thought: ["<mm:think>Hm."],
    calls: [["ping", "{}"]],
  },
  "reasoning that the token limit cuts off": {
    output: "<mm:think>Hm.",
    end: "length",
    reasoning: "Hm.",
    thought: ["<mm:think>Hm."],
  },
};

describe.each(makeTexts(FAMILIES))("the minimax_m3 parser, markers are %s", (_, text) => {
  it.each(Object.entries(REASONING))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});

/** The tokens of the published vocabulary, of which each tag has one or two. */
const TOKENS = [NS, "<tool_call>", "</tool_call>", "<mm:think>", "</mm:think>"];

describe.each([
  ["special tokens", TOKENS.map((content) => ({ content, special: true }))],
  ["added tokens", TOKENS.map((content) => ({ content, special: false }))],
  ["text", []],
])("the minimax_m3 parser, parts of tags are %s", (_, tokens) => {
  const text = byteLevelText(tokens);

  it.each(Object.entries(CALLS))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});

describe("the minimax_m3 parser", () => {
  it("refuses arguments that are nested too deeply", () => {
    const output = section(call("ping", `${NS}<a>`.repeat(200)));
    const text = byteLevelText([]);
    const { message, toolCalls } = read(text, FAMILIES, one(encodeText(text, output)), { tools: TOOLS });
    expect([message.content, toolCalls]).toEqual([output, "malformed"]);
  });

  const schema = {
    type: "object",
    properties: {
      point: { $ref: "#/$defs/point" },
      maybe: { anyOf: [{ $ref: "#/$defs/point" }, { type: "null" }] },
      none: { type: ["object", "null"] },
      names: { type: "array", items: { type: "string" } },
      counts: { type: "object", additionalProperties: { type: "string" } },
      list: { type: "object", properties: { item: { type: "string" } } },
    },
    $defs: { point: { type: "object", properties: { x: { type: "integer" }, label: { type: "string" } } } },
  };
  const tools: readonly Tool[] = [{ type: "function", function: { name: "draw", parameters: schema } }];

  it.each([
    [el("point", el("x", "1"), el("label", "2")), { point: { x: 1, label: "2" } }],
    [el("maybe", el("x", "1"), el("label", "true")), { maybe: { x: 1, label: "true" } }],
    [el("none", ""), { none: null }],
    [el("names", el("item", "1"), el("item", "")), { names: ["1", ""] }],
    [el("counts", el("a", "1")), { counts: { a: "1" } }],
    [el("list", el("item", "1")), { list: { item: "1" } }],
  ])("types nested values by the schema: %s", (args, expected) => {
    const text = byteLevelText([]);
    const { message } = read(text, FAMILIES, one(encodeText(text, section(call("draw", args)))), { tools });
    expect(JSON.parse(message.toolCalls?.[0]?.arguments ?? "")).toEqual(expected);
  });
});

const plain = (value: string): string => (value.startsWith('"') ? (JSON.parse(value) as string) : value);
const write: WriteCalls = (calls) =>
  section(
    ...calls.map(({ name, args }) => call(name, ...Object.entries(args).map(([key, value]) => el(key, plain(value))))),
  );

describeStructure("minimax_m3", write);
describeStrictTools("minimax_m3", write);

describe("the minimax_m3 grammar", () => {
  const point = { type: "object", properties: { x: { type: "integer" }, label: { type: "string" } }, required: ["x"] };
  const tools = [
    toolWith("draw", { at: point, lines: { type: "array" }, kind: { type: ["string", "null"], enum: ["a", "b"] } }, [
      "at",
    ]),
  ];

  it.each([
    [el("at", el("x", "1"), el("label", "any\n<text>")), true],
    [el("at", el("x", "one")), false],
    [el("at", el("label", "a")), false],
    [el("at", el("x", "1")) + el("lines", el("item", "1"), el("item", el("item", "2"))), true],
    [el("at", el("x", "1")) + el("kind", "b"), true],
    [el("at", el("x", "1")) + el("kind", "c"), false],
    [el("lines", ""), false],
  ])("takes %s: %s", async (args, isAccepted) => {
    const tag = buildTag("minimax_m3", { tools, mustCall: true });
    expect(await accepts(tag, section(call("draw", args)))).toBe(isAccepted);
  });

  it("allows reasoning, or only its end, before a call", async () => {
    const tag = buildTag("minimax_m3", { mustCall: true }, "minimax_m3");
    const ping = section(call("ping"));
    for (const text of [`<mm:think>Hm.</mm:think>${ping}`, `</mm:think>${ping}`, ping])
      expect([text, await accepts(tag, text)]).toEqual([text, true]);
    expect(await accepts(tag, `Hm.</mm:think>${ping}`)).toBe(false);
  });
});

/** A template in the manner of the published one. */
const TEMPLATE = `{%- set ns = ']<]minimax[>[' %}
{%- for message in messages %}
  {%- if message.role == 'assistant' %}
    {{- '<mm:think>' + message.reasoning_content + '</mm:think>' if message.reasoning_content else '</mm:think>' }}
    {%- for call in message.tool_calls or [] %}{{- ns + '<invoke name="' + call.function.name + '">' }}{%- endfor %}
  {%- endif %}
  {{- message.content + '[e~[' }}
{%- endfor %}`;

describe("chooseFamilies", () => {
  it("detects minimax_m3 by its template", async () => {
    expect((await loadChatModel(writeModelFolder(TEMPLATE, ["[e~["]))).families).toEqual(FAMILIES);
  });
});
