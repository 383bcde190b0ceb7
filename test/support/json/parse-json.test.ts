import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { canonicalJson } from "../../../src/support/json/canonical-json.js";
import { type JsonBuilder, JsonDepthError, JsonError, parseJson } from "../../../src/support/json/parse-json.js";
import { countSteps } from "../../helpers/iterations.js";

const canonical = (text: string) => runAtOnce(canonicalJson(text));

function parse<T>(text: string, builder: JsonBuilder<T>, maxDepth?: number): T {
  return runAtOnce(parseJson(text, builder, maxDepth));
}

const PLAIN: JsonBuilder<unknown> = {
  string: (value) => value,
  number: Number,
  literal: (value) => value,
  array: (items) => [...items],
  object: (entries) => Object.fromEntries(entries),
};

describe("parseJson", () => {
  it("can run in steps of a thousand values", () => {
    const values = Array.from({ length: 5000 }, (_, i) => i / 2);
    const { result, count } = countSteps(parseJson(JSON.stringify({ values }), PLAIN));
    expect(result).toEqual({ values });
    expect(count).toBe(5);
    expect(countSteps(parseJson("[1]", PLAIN)).count).toBe(1);
  });

  it("reads the same values as JSON.parse, with any white space", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        expect(parse(` \r\n${json}\n`, PLAIN)).toEqual(JSON.parse(json));
      }),
    );
  });

  it("accepts and refuses what JSON.parse accepts and refuses", () => {
    const piece = fc.constantFrom(
      ...Array.from('[]{},:"\\ \n0123-+.eE'),
      "true",
      "null",
      "fals",
      '"a"',
      "\\u00",
      "\u0001",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        expect(isJson(text, (json) => parse(json, PLAIN))).toBe(isJson(text, JSON.parse));
      }),
      { numRuns: 5000 },
    );
  });

  it("passes numbers as they are spelled, and keys in their order", () => {
    const spelled: JsonBuilder<unknown> = { ...PLAIN, number: (text) => text, object: (entries) => [...entries] };
    expect(parse('{"b":1.0,"2":1e5,"1":-0,"__proto__":{}}', spelled)).toEqual([
      ["b", "1.0"],
      ["2", "1e5"],
      ["1", "-0"],
      ["__proto__", []],
    ]);
  });

  it("refuses JSON deeper than maxDepth", () => {
    expect(parse("[[[]]]", PLAIN, 3)).toEqual([[[]]]);
    expect(() => parse("[[[1]]]", PLAIN, 2)).toThrow(JsonDepthError);
    expect(() => parse("[1", PLAIN)).toThrow(JsonError);
  });
});

describe("canonicalJson", () => {
  it("returns the same text for equal values only", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(JSON.parse(canonical(JSON.stringify(value, null, 2)) ?? "")).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("compares numbers as exact decimals", () => {
    const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: -30, max: 30 }));
    const spell = ([digits, power]: [bigint, number], zeros: number): string =>
      `${digits}${digits === 0n ? "" : "0".repeat(zeros)}e${power - (digits === 0n ? 0 : zeros)}`;
    const equal = ([a, i]: [bigint, number], [b, j]: [bigint, number]): boolean =>
      a * 10n ** BigInt(i + 30) === b * 10n ** BigInt(j + 30);
    fc.assert(
      fc.property(decimal, decimal, fc.nat(5), fc.nat(5), (a, b, m, n) => {
        expect(canonical(spell(a, m))).toBe(canonical(spell(a, n)));
        expect(canonical(spell(a, m)) === canonical(spell(b, n))).toBe(equal(a, b));
      }),
    );
  });
});

function isJson(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof JsonError || error instanceof SyntaxError) return false;
    throw error;
  }
}
