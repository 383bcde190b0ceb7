import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/conversation/message.js";
import type { ToolFamily } from "../../../src/model/output/output-format.js";
import { REASONING_FAMILIES } from "../../../src/model/output/reasoning/families.js";
import { callStructure } from "../../../src/model/output/structure/families.js";
import { type OutputRules, outputStructure } from "../../../src/model/output/structure/output-structure.js";
import { accepts } from "../../helpers/xgrammar.js";
import { byteLevelText, idsOf, read } from "./support/outputs.js";
import { type MeantCall, WRITTEN } from "./support/written-calls.js";

/** Structures of outputs, in the grammar engine of SGLang and vLLM. */

const tool = (name: string, properties: object, required: readonly string[]): Tool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties, required, additionalProperties: false } },
});

const TOOLS = [
  tool("get_weather", { city: { type: "string" }, days: { type: "integer" } }, ["city"]),
  tool("ping", {}, []),
];
const ROME: MeantCall = { name: "get_weather", args: { city: '"Rome \\n <x>"', days: "2" } };
const OSLO: MeantCall = { name: "get_weather", args: { city: '"Oslo"' } };
const PING: MeantCall = { name: "ping", args: {} };

const SCHEMA = JSON.stringify({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] });

const RULES: OutputRules = {
  tools: TOOLS,
  mustCall: false,
  strict: new Set(["get_weather", "ping"]),
  single: false,
  jsonSchema: undefined,
  promptEnd: "",
};

function tagOf(family: ToolFamily, rules: Partial<OutputRules>, reasoning?: keyof typeof REASONING_FAMILIES): string {
  const structure = callStructure(family, () => false);
  const made = outputStructure(structure, reasoning && REASONING_FAMILIES[reasoning], { ...RULES, ...rules });
  if (made?.kind !== "structural_tag") throw new Error(`${family} has no structural tag`);
  return made.tag;
}

describe.each(WRITTEN)("%s", (family, write) => {
  const one = write([ROME]);
  const two = write([OSLO, PING]);
  const isListed = !one.includes('{"city');

  it("a call that must be made is made, and our parser reads what the grammar lets through", async () => {
    const tag = tagOf(family, { mustCall: true });
    for (const text of [one, two, write([PING])]) expect([text, await accepts(tag, text)]).toEqual([text, true]);
    expect(await accepts(tag, "It is sunny.")).toBe(false);
    expect(await accepts(tag, write([{ ...OSLO, name: "get_time" }]))).toBe(false);
    expect(await accepts(tag, write([OSLO, { ...OSLO, name: "get_time" }]))).toBe(false);
    expect(await accepts(tag, write([{ name: "get_weather", args: { days: "2" } }]))).toBe(false);
    expect(await accepts(tag, write([{ name: "get_weather", args: { city: '"x"', days: '"two"' } }]))).toBe(false);
    const text = byteLevelText([]);
    const { message, toolCalls } = read(
      text,
      { tools: family, reasoning: "none" },
      [Int32Array.from(idsOf(text, two))],
      {
        tools: TOOLS,
      },
    );
    const calls = (message.toolCalls ?? []).map((call) => [call.name, JSON.parse(call.arguments) as unknown]);
    expect([toolCalls, calls]).toEqual([
      "calls",
      [
        ["get_weather", { city: "Oslo" }],
        ["ping", {}],
      ],
    ]);
  });

  it("one call at most", async () => {
    const tag = tagOf(family, { mustCall: true, single: true });
    expect([await accepts(tag, one), await accepts(tag, two)]).toEqual([true, false]);
  });

  it("calls, or an answer of a schema", async () => {
    const tag = tagOf(family, { jsonSchema: SCHEMA });
    expect([await accepts(tag, '{"a": 1}'), await accepts(tag, two), await accepts(tag, "{}")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("reasoning comes before, and may say anything", async () => {
    const thought = `Hm, ${isListed ? "<tool_call>" : one}?\n</think>\n\n`;
    const free = tagOf(family, { mustCall: true }, "qwen3");
    for (const text of [`<think>\n${thought}${one}`, one]) expect(await accepts(free, text)).toBe(true);
    const open = tagOf(family, { mustCall: true, promptEnd: "<think>\n" }, "qwen3");
    expect([await accepts(open, thought + one), await accepts(open, one)]).toEqual([true, false]);
  });
});

describe("strict tools, if text is free", () => {
  it.each(WRITTEN.filter(([family]) => family !== "llama3_json"))(
    "%s: calls are as their schema says",
    async (family, write) => {
      const one = write([ROME]);
      const two = write([OSLO, PING]);
      const tag = tagOf(family, {});
      for (const text of ["It is sunny.", `I look.\n${one}`, two]) expect(await accepts(tag, text)).toBe(true);
      expect(await accepts(tag, write([{ name: "get_weather", args: { city: '"x"', days: '"two"' } }]))).toBe(false);
      const loose = tagOf(family, { strict: new Set(["ping"]) });
      expect(await accepts(loose, write([{ name: "get_weather", args: { days: '"two"' } }]))).toBe(true);
      expect(await accepts(loose, write([{ name: "ping", args: { a: "1" } }]))).toBe(false);
      const single = tagOf(family, { single: true });
      expect([await accepts(single, `I look.\n${one}`), await accepts(single, two)]).toEqual([true, false]);
    },
  );

  it("llama3_json: there is no structural tag, for its calls begin with no marker", () => {
    expect(() => tagOf("llama3_json", {})).toThrow("has no structural tag");
  });
});

describe("parameters that are written apart", () => {
  const tools = [
    tool(
      "set",
      {
        unit: { type: "string", enum: ["c", "f"] },
        note: { anyOf: [{ type: "string" }, { type: "null" }] },
        at: { $ref: "#/$defs/point" },
      },
      ["unit", "note"],
    ),
  ];
  const [first] = tools;
  Object.assign(first?.function["parameters"] as object, {
    $defs: { point: { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 } },
  });
  const written = (unit: string, note: string, at = "") =>
    `<tool_call>\n<function=set>\n<parameter=unit>\n${unit}\n</parameter>\n<parameter=note>\n${note}\n</parameter>\n${at}</function>\n</tool_call>`;

  it("take listed texts, free texts and JSON as their schema says", async () => {
    const tag = tagOf("qwen3_coder", { tools, mustCall: true });
    expect(await accepts(tag, written("c", "any\n<thing>"))).toBe(true);
    expect(await accepts(tag, written("k", "null"))).toBe(false);
    const point = (text: string) => `<parameter=at>\n${text}\n</parameter>\n`;
    expect(await accepts(tag, written("f", "x", point("[1, 2.5]")))).toBe(true);
  });
});

describe("families without a structure", () => {
  it.each(["pythonic", "gpt_oss", "kimi_k3"] as const)("%s has none", (family) => {
    expect(callStructure(family, () => false)).toBeUndefined();
  });

  it("mistral's calls are of the kind that its vocabulary has", async () => {
    const structure = callStructure("mistral", (spelling) => spelling === "[ARGS]");
    const made = outputStructure(structure, undefined, { ...RULES, mustCall: true });
    if (made?.kind !== "structural_tag") throw new Error("no tag");
    expect(await accepts(made.tag, '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]ping[ARGS]{}')).toBe(true);
    expect(await accepts(made.tag, '[TOOL_CALLS][{"name": "ping", "arguments": {}}]')).toBe(false);
  });

  it("a schema alone is one, unless the prompt has begun the reasoning", async () => {
    const rules = { ...RULES, tools: [], strict: new Set<string>(), jsonSchema: '{"type":"object"}' };
    expect(outputStructure(undefined, REASONING_FAMILIES.qwen3, rules)).toEqual({
      kind: "json_schema",
      schema: rules.jsonSchema,
    });
    const made = outputStructure(undefined, REASONING_FAMILIES.qwen3, { ...rules, promptEnd: "<think>\n" });
    if (made?.kind !== "structural_tag") throw new Error("no tag");
    expect(await accepts(made.tag, "Hm.\n</think>\n\n{}")).toBe(true);
    expect(await accepts(made.tag, "{}")).toBe(false);
  });
});
