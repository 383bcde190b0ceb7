import { describe, expect, it } from "vitest";
import type { Tool } from "../../../../src/conversation/message.js";
import {
  findCallStructure,
  findReasoningBlock,
  type ReasoningFamily,
  type ToolFamily,
} from "../../../../src/model/output/family-lookup.js";
import { buildOutputStructure, type OutputRules } from "../../../../src/model/output/structure/output-structure.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { byteLevelText, encodeText, read } from "./outputs.js";
import type { MeantCall, WriteCalls } from "./written-calls.js";

export const toolWith = (name: string, properties: object, required: readonly string[]): Tool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties, required, additionalProperties: false } },
});

const TOOLS = [
  toolWith("get_weather", { city: { type: "string" }, days: { type: "integer" } }, ["city"]),
  toolWith("ping", {}, []),
];
const ROME: MeantCall = { name: "get_weather", args: { city: '"Rome \\n <x>"', days: "2" } };
const OSLO: MeantCall = { name: "get_weather", args: { city: '"Oslo"' } };
const PING: MeantCall = { name: "ping", args: {} };

const SCHEMA = JSON.stringify({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] });

export const RULES: OutputRules = {
  tools: TOOLS,
  mustCall: false,
  strict: new Set(["get_weather", "ping"]),
  single: false,
  jsonSchema: undefined,
  promptEnd: "",
};

/** Returns the structural tag of a family under rules. */
export function buildTag(family: ToolFamily, rules: Partial<OutputRules>, reasoning?: ReasoningFamily): string {
  const structure = findCallStructure(family, () => false);
  const built = buildOutputStructure(structure, findReasoningBlock(reasoning ?? "none"), { ...RULES, ...rules });
  if (built?.kind !== "structural_tag") throw new Error(`${family} has no structural tag`);
  return built.tag;
}

/**
 * Describes which texts xgrammar, the grammar engine of SGLang and vLLM, accepts for the structure of a family, and that
 * the family's reader reads them.
 *
 * @param write writes calls like the chat template of the family's models
 */
export function describeStructure(family: ToolFamily, write: WriteCalls): void {
  describe(`the ${family} grammar in xgrammar`, () => {
    const one = write([ROME]);
    const two = write([OSLO, PING]);
    const isListed = !one.includes('{"city');

    it("requires a call if mustCall is set, and our parser reads the accepted text", async () => {
      const tag = buildTag(family, { mustCall: true });
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
        [Int32Array.from(encodeText(text, two))],
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

    it("allows only one call if single is set", async () => {
      const tag = buildTag(family, { mustCall: true, single: true });
      expect([await accepts(tag, one), await accepts(tag, two)]).toEqual([true, false]);
    });

    it("allows calls or an answer that matches the schema", async () => {
      const tag = buildTag(family, { jsonSchema: SCHEMA });
      expect([await accepts(tag, '{"a": 1}'), await accepts(tag, two), await accepts(tag, "{}")]).toEqual([
        true,
        true,
        false,
      ]);
    });

    it("allows any reasoning before calls", async () => {
      const thought = `Hm, ${isListed ? "<tool_call>" : one}?\n</think>\n\n`;
      const free = buildTag(family, { mustCall: true }, "qwen3");
      for (const text of [`<think>\n${thought}${one}`, one]) expect(await accepts(free, text)).toBe(true);
      const open = buildTag(family, { mustCall: true, promptEnd: "<think>\n" }, "qwen3");
      expect([await accepts(open, thought + one), await accepts(open, one)]).toEqual([true, false]);
    });
  });
}

/** Describes strict tools of a family whose calls begin with a marker: any text is allowed, but calls are checked. */
export function describeStrictTools(family: ToolFamily, write: WriteCalls): void {
  it(`allows free text and checks calls of strict tools by their schema: ${family}`, async () => {
    const one = write([ROME]);
    const two = write([OSLO, PING]);
    const tag = buildTag(family, {});
    for (const text of ["It is sunny.", `I look.\n${one}`, two]) expect(await accepts(tag, text)).toBe(true);
    expect(await accepts(tag, write([{ name: "get_weather", args: { city: '"x"', days: '"two"' } }]))).toBe(false);
    const loose = buildTag(family, { strict: new Set(["ping"]) });
    expect(await accepts(loose, write([{ name: "get_weather", args: { days: '"two"' } }]))).toBe(true);
    expect(await accepts(loose, write([{ name: "ping", args: { a: "1" } }]))).toBe(false);
    const single = buildTag(family, { single: true });
    expect([await accepts(single, `I look.\n${one}`), await accepts(single, two)]).toEqual([true, false]);
  });
}
