import { describe, expect, it } from "vitest";
import { loadChatModel } from "../../../../src/model/load-chat-model.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { writeModelFolder } from "../../support/model-folder.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { buildTag, describeStrictTools, describeStructure } from "../support/structure-checks.js";
import type { WriteCalls } from "../support/written-calls.js";

const FAMILIES = { tools: "lfm2", reasoning: "qwen3" } as const;

const list = (...calls: readonly string[]): string => `<|tool_call_start|>[${calls.join(", ")}]<|tool_call_end|>`;
const malformed = (output: string): Fixture => ({ output, content: output, toolCalls: "malformed" });

const CALLS: Record<string, Fixture> = {
  "text and two calls": {
    output: `I look.\n${list("get_weather(city='12', days=3, metric=True)", "ping()")}Done.`,
    content: "I look.\nDone.",
    calls: [
      ["get_weather", '{"city": "12", "days": 3, "metric": true}'],
      ["ping", "{}"],
    ],
  },
  "lists, objects and the words of JSON": {
    output: list(`edit(lines=[1, ('a', None)], options={"a": {"b": false}}, scale=.5, note=null, other = -1)`),
    calls: [
      ["edit", '{"lines": [1, ["a", null]], "options": {"a": {"b": false}}, "scale": 0.5, "note": null, "other": -1}'],
    ],
  },
  "escapes, line breaks and triple quotes": {
    output: list(`edit(path="a\\n\\"b\\"\tc\nd", note='''e'f''')`),
    calls: [["edit", '{"path": "a\\n\\"b\\"\\tc\\nd", "note": "e\'f"}']],
  },
  "quotes that are not escaped": {
    output: list(`edit(path='sed -n '1,9p' f.py', note='f('a', 'b') + g('c')')`, `ping(a="say "hi", then")`),
    calls: [
      ["edit", `{"path": "sed -n '1,9p' f.py", "note": "f('a', 'b') + g('c')"}`],
      ["ping", '{"a": "say \\"hi\\", then"}'],
    ],
  },
  "JSON objects": {
    output:
      '<|tool_call_start|>[{"name": "ping", "arguments": {"a" : 1}, "id": "x"}, {"name": "ping", "arguments": {}}]<|tool_call_end|>',
    calls: [
      ["ping", '{"a" : 1}'],
      ["ping", "{}"],
    ],
  },
  "a call without a list": { output: "<|tool_call_start|>ping(a=1)<|tool_call_end|>", calls: [["ping", '{"a": 1}']] },
  "white space": { output: "<|tool_call_start|>\n[ping( a = 1 ) ]\n<|tool_call_end|>", calls: [["ping", '{"a": 1}']] },
  "two lists": {
    output: list("ping()") + list("ping()"),
    calls: [
      ["ping", "{}"],
      ["ping", "{}"],
    ],
  },
  "a last list without its closing marker": { output: "<|tool_call_start|>[ping()]", calls: [["ping", "{}"]] },
  "a tool that the request does not have": { output: list("a.pong(b=1)"), calls: [["a.pong", '{"b": 1}']] },
  "a list without markers, which is text": { output: "[ping()]", content: "[ping()]" },
  "an argument without a name": malformed(list("ping('x')")),
  "a value that is not a literal": malformed(list("ping(a=b)")),
  "a string that is not closed": malformed(list("ping(a='b)")),
  "an empty list": malformed(list()),
  "text in the list": malformed(list("no call")),
  "a call that the token limit cuts off": { ...malformed("<|tool_call_start|>[ping(a='b"), end: "length" },
  "a closing marker alone": malformed("<|tool_call_end|>"),
};

const REASONING: Record<string, Fixture> = {
  "reasoning, text and a call": {
    output: `<think>Hm.</think>Ok.${list("ping()")}`,
    reasoning: "Hm.",
    thought: ["<think>Hm.</think>"],
    content: "Ok.",
    calls: [["ping", "{}"]],
  },
  "a call that ends the reasoning": {
    output: `<think>Hm.${list("ping()")}`,
    reasoning: "Hm.",
    thought: ["<think>Hm."],
    calls: [["ping", "{}"]],
  },
};

describe.each(makeTexts(FAMILIES))("the lfm2 parser, markers are %s", (_, text) => {
  it.each(Object.entries({ ...CALLS, ...REASONING }))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});

const write: WriteCalls = (calls) =>
  list(
    ...calls.map(({ name, args }) => {
      const written = Object.entries(args).map(([key, value]) => `${key}=${value}`);
      return `${name}(${written.join(", ")})`;
    }),
  );

describeStructure("lfm2", write);
describeStrictTools("lfm2", write);

describe("the lfm2 grammar", () => {
  it.each([
    [`get_weather(city='Ro "me"', days=2)`, true],
    [`get_weather(days=2)`, false],
    [`get_weather(city='Rome', days='2')`, false],
  ])("takes strings in both quotes: %s", async (call, isAccepted) => {
    expect(await accepts(buildTag("lfm2", { mustCall: true }), list(call))).toBe(isAccepted);
  });

  it.each([
    ["get_weather()", true],
    [`get_weather(a='b)', c="d\\")", e=[1])`, true],
    ["get_weather(a=f())", false],
  ])("takes any arguments of a tool that is not strict: %s", async (call, isAccepted) => {
    const tag = buildTag("lfm2", { strict: new Set(["ping"]) });
    expect(await accepts(tag, list(call))).toBe(isAccepted);
  });
});

/** A template in the manner of the published ones, most of which do not write calls. */
const TEMPLATE = `{{- '<|im_start|>system\\nList of tools: ' + (tools or []) | tojson + '<|im_end|>\\n' }}
{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}`;

describe("chooseFamilies", () => {
  it("detects lfm2 by its template", async () => {
    const { families } = await loadChatModel(writeModelFolder(TEMPLATE, ["<|im_end|>"]));
    expect(families).toEqual({ tools: "lfm2", reasoning: "none" });
    const thinks = TEMPLATE.replace("message.content", "message.content.split('</think>')[-1]");
    expect((await loadChatModel(writeModelFolder(thinks, ["<|im_end|>"]))).families).toEqual(FAMILIES);
  });
});
