import { describe, expect, it } from "vitest";
import { loadChatModel } from "../../../../src/model/load-chat-model.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { writeModelFolder } from "../../support/model-folder.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { byteLevelText, encodeText, one, read } from "../support/outputs.js";
import { buildTag, describeStrictTools, describeStructure } from "../support/structure-checks.js";
import type { WriteCalls } from "../support/written-calls.js";

const FAMILIES = { tools: "cohere_command", reasoning: "cohere_command" } as const;

const call = (name: string, args = "{}", id = 0): string =>
  `{"tool_call_id": "${id}", "tool_name": "${name}", "parameters": ${args}}`;
const action = (...calls: readonly string[]): string =>
  `<|START_ACTION|>[\n    ${calls.join(",\n    ")}\n]<|END_ACTION|>`;

const malformed = (output: string): Fixture => ({ output, content: output, toolCalls: "malformed" });

const CALLS: Record<string, Fixture> = {
  "two calls, whose ids are not kept": {
    output: action(call("get_weather", '{"city" : "12", "days": 3.0}'), call("ping", "{}", 1)),
    calls: [
      ["get_weather", '{"city" : "12", "days": 3.0}'],
      ["ping", "{}"],
    ],
  },
  "a call without a list": { output: `<|START_ACTION|>\n${call("ping")}\n<|END_ACTION|>`, calls: [["ping", "{}"]] },
  "a call without an id": {
    output: action('{"tool_name": "ping", "parameters": {"name": "x"}}'),
    calls: [["ping", '{"name": "x"}']],
  },
  "text before a call": {
    output: `<|START_RESPONSE|>I look.<|END_RESPONSE|>\n${action(call("ping"))}`,
    content: "I look.",
    calls: [["ping", "{}"]],
  },
  "a last list that is not closed": {
    output: `<|START_ACTION|>[${call("ping")}`,
    calls: [["ping", "{}"]],
  },
  "a tool that the request does not have": { output: action(call("pong")), calls: [["pong", "{}"]] },
  "a field of another family": malformed(action('{"name": "ping", "parameters": {}}')),
  "arguments that are not an object": malformed(action(call("ping", "[]"))),
  "text after a call in the list": {
    output: `<|START_ACTION|>[${call("ping")} and]<|END_ACTION|>`,
    content: "and]<|END_ACTION|>",
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a malformed call after another": {
    output: action(call("ping"), "{}"),
    content: ",\n    {}\n]<|END_ACTION|>",
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a call that the token limit cuts off": {
    ...malformed('<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "ping"'),
    end: "length",
  },
  "a closing marker alone": malformed("<|END_ACTION|>"),
};

const TEXTS: Record<string, Fixture> = {
  "reasoning and an answer of Command 3": {
    output: "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Hi!\n<|END_RESPONSE|>",
    reasoning: "Hm.",
    thought: ["<|START_THINKING|>Hm.<|END_THINKING|>"],
    content: "Hi!",
  },
  "reasoning that the prompt has begun, and an answer of Command 4": {
    output: "Hm.<|END_THINKING|><|START_TEXT|>Hi!<|END_TEXT|>",
    promptEnd: "<|CHATBOT_TOKEN|><|START_THINKING|>",
    reasoning: "Hm.",
    thought: ["Hm.<|END_THINKING|>"],
    content: "Hi!",
  },
  "no reasoning after a prompt that has ended it": {
    output: "<|START_TEXT|>Hi!<|END_TEXT|>",
    promptEnd: "<|CHATBOT_TOKEN|><|START_THINKING|><|END_THINKING|>",
    content: "Hi!",
  },
  "reasoning and a call": {
    output: `<|START_THINKING|>Hm.<|END_THINKING|>${action(call("ping"))}`,
    reasoning: "Hm.",
    thought: ["<|START_THINKING|>Hm.<|END_THINKING|>"],
    calls: [["ping", "{}"]],
  },
  "a call that ends the reasoning": {
    output: `<|START_THINKING|>Hm.${action(call("ping"))}`,
    reasoning: "Hm.",
    thought: ["<|START_THINKING|>Hm."],
    calls: [["ping", "{}"]],
  },
  "an answer without markers": { output: "Hi!", content: "Hi!" },
  "an answer that the token limit cuts off": { output: "<|START_TEXT|>Hi", content: "Hi", end: "length" },
  "two texts": { output: "<|START_TEXT|>Hi.<|END_TEXT|><|START_TEXT|>So.<|END_TEXT|>", content: "Hi.\nSo." },
};

describe.each(makeTexts(FAMILIES))("the cohere_command parser, markers are %s", (_, text) => {
  it.each(Object.entries({ ...CALLS, ...TEXTS }))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});

describe("the cohere_command parser for a request without tools", () => {
  it.each(["special", "added", "none"])(
    "drops the markers around the text, and keeps calls as text (tokens: %s)",
    (kind) => {
      const tokens = ["<|START_RESPONSE|>", "<|END_RESPONSE|>"].map((content) => ({
        content,
        special: kind === "special",
      }));
      const text = byteLevelText(kind === "none" ? [] : tokens);
      const ids = encodeText(text, "<|START_RESPONSE|>[1]<|END_RESPONSE|><|START_ACTION|>");
      const { message, toolCalls } = read(text, FAMILIES, one(ids), { promptEnd: "<|END_THINKING|>" });
      expect([message.content, toolCalls]).toEqual(["[1]<|START_ACTION|>", "none"]);
      const thought = encodeText(text, "<|START_THINKING|>Hm <|START_RESPONSE|>?<|END_THINKING|>Hi.");
      const answer = read(text, FAMILIES, one(thought)).message;
      expect([answer.reasoning, answer.content]).toEqual(["Hm <|START_RESPONSE|>?", "Hi."]);
    },
  );
});

const object = (args: Readonly<Record<string, string>>): string =>
  `{${Object.entries(args)
    .map(([key, value]) => `"${key}": ${value}`)
    .join(", ")}}`;
const write: WriteCalls = (calls) => action(...calls.map(({ name, args }, i) => call(name, object(args), i)));

describeStructure("cohere_command", write);
describeStrictTools("cohere_command", write);

describe("the cohere_command grammar with its own reasoning", () => {
  it("requires the end of a reasoning that the prompt has begun", async () => {
    const ping = write([{ name: "ping", args: {} }]);
    const tag = buildTag("cohere_command", { mustCall: true, promptEnd: "<|START_THINKING|>" }, "cohere_command");
    expect([await accepts(tag, `Hm.<|END_THINKING|>${ping}`), await accepts(tag, ping)]).toEqual([true, false]);
  });
});

/** A template in the manner of the published ones. */
const TEMPLATE = `{%- for message in messages %}
  {%- if message.tool_calls %}
    {{- '<|START_THINKING|>' + (message.reasoning_content or '') + '<|END_THINKING|><|START_ACTION|>[' }}
    {%- for call in message.tool_calls %}{{- '{"tool_name": "' + call.function.name + '"}' }}{%- endfor %}
    {{- ']<|END_ACTION|>' }}
  {%- else %}{{- message.content }}{%- endif %}
  {{- '<|END_OF_TURN_TOKEN|>' }}
{%- endfor %}`;

describe("chooseFamilies", () => {
  it("detects cohere_command by its template", async () => {
    const { families } = await loadChatModel(writeModelFolder(TEMPLATE, ["<|END_OF_TURN_TOKEN|>"]));
    expect(families).toEqual(FAMILIES);
  });
});
