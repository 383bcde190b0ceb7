import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { buildTag, describeStrictTools, describeStructure, toolWith } from "../support/structure-checks.js";
import type { WriteCalls } from "../support/written-calls.js";

const FAMILIES: OutputFamilies = { tools: "olmo3", reasoning: "deepseek_v3" };

const section = (...calls: readonly string[]): string => `<function_calls>${calls.join("\n")}</function_calls>`;
const malformed = (output: string): Fixture => ({ output, content: output, toolCalls: "malformed" });

const OLMO3: Record<string, Fixture> = {
  "text and two calls": {
    output: `I look.${section('get_weather(city="Pa\\"ris", days=3)', "ping()")}`,
    content: "I look.",
    calls: [
      ["get_weather", '{"city": "Pa\\"ris", "days": 3}'],
      ["ping", "{}"],
    ],
  },
  "JSON values, which keep their spelling": {
    output: section('edit(path="a\\/\\u00e9", lines=[1.50, null, true], options={"a": {"b": "x)"}}, scale=1e3)'),
    calls: [
      ["edit", '{"path": "a\\/\\u00e9", "lines": [1.50, null, true], "options": {"a": {"b": "x)"}}, "scale": 1e3}'],
    ],
  },
  "Python literals": {
    output: section("edit(path='it''s', lines=(1, 'x,)'), options={'a': None}, scale=.5, note=None)"),
    calls: [["edit", '{"path": "its", "lines": [1, "x,)"], "options": {"a": null}, "scale": 0.5, "note": null}']],
  },
  "tags and calls on lines of their own": {
    output: "<function_calls>\nping()\n\nping( a = 1 )\n</function_calls>\nDone.",
    content: "Done.",
    calls: [
      ["ping", "{}"],
      ["ping", '{"a": 1}'],
    ],
  },
  "a tool that the request does not have": { output: section("pong()"), calls: [["pong", "{}"]] },
  "calls that are separated by commas": {
    output: section("ping(), ping()"),
    calls: [
      ["ping", "{}"],
      ["ping", "{}"],
    ],
  },
  "a section that is not closed": { output: "<function_calls>ping()\n", calls: [["ping", "{}"]] },
  "a call without a section": { output: "ping()", content: "ping()" },
  "an empty section": malformed(section()),
  "an argument without a name": malformed(section("ping(1)")),
  "a value that is not a literal": malformed(section("ping(a=b)")),
  "text after a call": {
    output: section("ping() and", "ping()"),
    content: "and\nping()</function_calls>",
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a call that the token limit cuts off": { ...malformed('<function_calls>get_weather(city="Pa'), end: "length" },
  "reasoning and a call": {
    output: `Hm, ${section("ping()")}?</think>${section("ping()")}`,
    promptEnd: "<|im_start|>assistant\n<think>",
    reasoning: `Hm, ${section("ping()")}?`,
    thought: [`Hm, ${section("ping()")}?</think>`],
    calls: [["ping", "{}"]],
  },
};

describe.each(makeTexts(FAMILIES))("the olmo3 parser, markers are %s", (_, text) => {
  it.each(Object.entries(OLMO3))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});

const write: WriteCalls = (calls) => {
  const lines = calls.map(({ name, args }) => {
    const list = Object.entries(args).map(([key, value]) => `${key}=${value}`);
    return `${name}(${list.join(", ")})`;
  });
  return section(...lines);
};

describeStructure("olmo3", write);
describeStrictTools("olmo3", write);

describe("the olmo3 grammar", () => {
  const properties = { a: { type: "integer" }, b: { type: "string" }, c: { type: "boolean" } };
  const accepted = async (required: readonly string[], args: string): Promise<boolean> =>
    await accepts(
      buildTag("olmo3", { tools: [toolWith("f", properties, required)], mustCall: true }),
      section(`f(${args})`),
    );

  it("allows optional arguments to be absent at every place", async () => {
    for (const args of ["", "a=1", 'b="x"', "c=true", 'a=1, b="x"', "a=1, c=true", 'a=1, b="x", c=false'])
      expect([args, await accepted([], args)]).toEqual([args, true]);
    for (const args of [", a=1", "a=1,", "a=1 c=true", 'b="x", a=1', "a=true"])
      expect([args, await accepted([], args)]).toEqual([args, false]);
  });

  it("requires the arguments that the schema requires", async () => {
    expect(await accepted(["b"], 'b="x"')).toBe(true);
    expect(await accepted(["b"], 'a=1, b="x", c=true')).toBe(true);
    expect(await accepted(["b"], "a=1")).toBe(false);
  });
});
