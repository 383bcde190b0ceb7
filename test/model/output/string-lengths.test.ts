import { describe, expect, it } from "vitest";
import { buildOutputStructure } from "../../../src/model/output/structure/output-structure.js";
import { writeLengthsAsPatterns } from "../../../src/model/output/structure/string-lengths.js";
import { Random } from "../../helpers/random.js";
import { accepts, sample } from "../../helpers/xgrammar.js";
import { byteLevelText, encodeText, read } from "./support/outputs.js";
import { buildTag, RULES, toolWith } from "./support/structure-checks.js";

/** Strings whose length a schema limits: what xgrammar accepts is JSON. */

const TEXT = { type: "string", minLength: 2, maxLength: 5 };
const TOOL = toolWith("note", { text: TEXT }, ["text"]);

const call = (string: string) => `<tool_call>\n{"name": "note", "arguments": {"text": ${string}}}\n</tool_call>`;
const accepted = (string: string) => accepts(buildTag("hermes", { tools: [TOOL], mustCall: true }), call(string));

describe("a string with minLength and maxLength", () => {
  it.each(['"ab"', '"abcde"', '"aé日"', '"\\n\\"\\\\\\u0007b"', '"a/b"'])("may be %s", async (string) => {
    expect(await accepted(string)).toBe(true);
  });

  it.each([0x00, 0x01, 0x09, 0x0a, 0x0d, 0x1f])("has no raw control character U+%i", async (code) => {
    expect(await accepted(`"a${String.fromCharCode(code)}b"`)).toBe(false);
  });

  it.each(['"a"', '"abcdef"', '"a"b"', '"a\\qb"', '"ab\\"', '"\\u12"'])("is not %s", async (string) => {
    expect(await accepted(string)).toBe(false);
  });
});

describe("writeLengthsAsPatterns", () => {
  const patternOf = (schema: object) => (writeLengthsAsPatterns(schema) as { pattern?: string }).pattern;

  it("writes what JSON Schema means by the lengths", () => {
    const fits = (schema: object, text: string) => new RegExp(patternOf(schema) ?? "").test(text);
    expect(["", "a", "abc", "abcd"].map((text) => fits({ maxLength: 3 }, text))).toEqual([true, true, true, false]);
    expect(["a", "ab", "a".repeat(99)].map((text) => fits({ minLength: 2 }, text))).toEqual([false, true, true]);
    expect(writeLengthsAsPatterns({ maxLength: 3, description: "d" })).not.toHaveProperty("maxLength");
  });

  it("finds them everywhere in a schema, and only where they are keywords", () => {
    const lengths = { maxLength: 3 };
    const pattern = { pattern: patternOf(lengths) };
    expect(
      writeLengthsAsPatterns({
        properties: {
          maxLength: { type: "integer" },
          a: { items: lengths },
          b: { anyOf: [lengths, { type: "null" }] },
        },
        $defs: { c: { additionalProperties: lengths, propertyNames: lengths } },
        enum: [{ maxLength: 3 }],
        default: lengths,
      }),
    ).toEqual({
      properties: { maxLength: { type: "integer" }, a: { items: pattern }, b: { anyOf: [pattern, { type: "null" }] } },
      $defs: { c: { additionalProperties: pattern, propertyNames: pattern } },
      enum: [{ maxLength: 3 }],
      default: lengths,
    });
  });

  it.each([
    { maxLength: 3, pattern: "^a" },
    { minLength: 0 },
    { maxLength: "3" },
    { minLength: -1 },
    { maxLength: 1.5 },
  ])("leaves %j as it is", (schema) => {
    expect(writeLengthsAsPatterns(schema)).toEqual(schema);
  });
});

describe("the schema of an answer", () => {
  const build = (jsonSchema: string) =>
    buildOutputStructure(undefined, undefined, { ...RULES, tools: [], strict: new Set(), jsonSchema });

  it("has patterns for lengths, and is the text of the request if it has none", () => {
    const plain = '{ "type":"object" }';
    expect(build(plain)).toEqual({ kind: "json_schema", schema: plain });
    expect(build(JSON.stringify(TEXT))).toEqual({
      kind: "json_schema",
      schema: JSON.stringify(writeLengthsAsPatterns(TEXT)),
    });
  });
});

describe("random texts of a required call", () => {
  const TOOLS = [
    toolWith(
      "note",
      {
        text: { type: "string", maxLength: 12 },
        tags: { type: "array", items: { type: "string", minLength: 1, maxLength: 4 }, maxItems: 3 },
        code: { type: "string" },
        count: { type: "integer" },
      },
      ["text", "tags"],
    ),
  ];

  // Families that write every argument in JSON, or like it.
  const families = ["hermes", "llama3_json", "deepseek_v3", "deepseek_v31", "kimi_k2", "mistral", "pythonic"] as const;

  it.each(families)("are calls that the reader of %s reads", async (family) => {
    const tag = buildTag(family, { tools: TOOLS, mustCall: true, single: true });
    const vocabulary = byteLevelText([]);
    const numbers = new Random(1);
    const random = () => numbers.next();
    const texts = [];
    for (let i = 0; i < 10; i++) texts.push(await sample(tag, random));
    const ended = texts.filter((text) => text !== undefined);
    expect(ended.length).toBeGreaterThan(4);
    for (const text of ended) {
      const ids = [Int32Array.from(encodeText(vocabulary, text))];
      const { message, toolCalls } = read(vocabulary, { tools: family, reasoning: "none" }, ids, { tools: TOOLS });
      expect([text, toolCalls, message.toolCalls?.length]).toEqual([text, "calls", 1]);
    }
  });
});
