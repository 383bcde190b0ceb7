import { describe, expect, it } from "vitest";
import { findCallStructure, findReasoningBlock, type ToolFamily } from "../../../src/model/output/family-lookup.js";
import { buildOutputStructure } from "../../../src/model/output/structure/output-structure.js";
import { accepts } from "../../helpers/xgrammar.js";
import { buildTag, describeStrictTools, describeStructure, RULES, toolWith } from "./support/structure-checks.js";
import { WRITTEN } from "./support/written-calls.js";

/** Structures of outputs, checked with xgrammar, the grammar engine of SGLang and vLLM. */

for (const [family, write] of WRITTEN) describeStructure(family, write);

const UNMARKED = ["llama3_json", "pythonic"] as const satisfies readonly ToolFamily[];

describe("the structure of calls that begin with a marker", () => {
  const marked = WRITTEN.filter(([family]) => !UNMARKED.some((name) => name === family));
  for (const [family, write] of marked) describeStrictTools(family, write);
});

describe("the structure of calls without a marker", () => {
  it.each(UNMARKED)("is undefined for %s if text is allowed", (family) => {
    expect(() => buildTag(family, {})).toThrow("has no structural tag");
  });
});

describe("the structure of separate parameters", () => {
  const tools = [
    toolWith(
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

  it("allows listed texts, free texts and JSON as the schema says", async () => {
    const tag = buildTag("qwen3_coder", { tools, mustCall: true });
    expect(await accepts(tag, written("c", "any\n<thing>"))).toBe(true);
    expect(await accepts(tag, written("k", "null"))).toBe(false);
    const point = (text: string) => `<parameter=at>\n${text}\n</parameter>\n`;
    expect(await accepts(tag, written("f", "x", point("[1, 2.5]")))).toBe(true);
  });
});

describe("buildOutputStructure and findCallStructure", () => {
  it("return no structure without a family", () => {
    expect(findCallStructure("none", () => false)).toBeUndefined();
  });

  it("choose Mistral's call format by its vocabulary", async () => {
    const structure = findCallStructure("mistral", (spelling) => spelling === "[ARGS]");
    const built = buildOutputStructure(structure, undefined, { ...RULES, mustCall: true });
    if (built?.kind !== "structural_tag") throw new Error("no structural tag was built");
    const { tag } = built;
    expect(await accepts(tag, '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]ping[ARGS]{}')).toBe(true);
    expect(await accepts(tag, '[TOOL_CALLS][{"name": "ping", "arguments": {}}]')).toBe(false);
  });

  it("return a plain schema without calls, unless the prompt has begun the reasoning", async () => {
    const rules = { ...RULES, tools: [], strict: new Set<string>(), jsonSchema: '{"type":"object"}' };
    expect(buildOutputStructure(undefined, findReasoningBlock("qwen3"), rules)).toEqual({
      kind: "json_schema",
      schema: rules.jsonSchema,
    });
    const built = buildOutputStructure(undefined, findReasoningBlock("qwen3"), { ...rules, promptEnd: "<think>\n" });
    if (built?.kind !== "structural_tag") throw new Error("no structural tag was built");
    expect(await accepts(built.tag, "Hm.\n</think>\n\n{}")).toBe(true);
    expect(await accepts(built.tag, "{}")).toBe(false);
  });
});
