import { describe, expect, it } from "vitest";
import { RenderError } from "../../../src/model/jinja/index.js";
import { fromJs } from "../../../src/model/template/from-js.js";
import { fromJson } from "../../../src/model/template/from-json.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { JsonDepthError, JsonError } from "../../../src/support/json/parse-json.js";
import { compileAtOnce } from "../support/compile-at-once.js";

const show = (value: unknown): string => compileAtOnce("{{ x | tojson }}")(new Map([["x", fromJs(value)]])).join("");

describe("fromJs", () => {
  it("converts values like Python", () => {
    expect(show({ b: [1, 1.5, true, null, "é"], a: 2 ** 60 })).toBe(
      '{"b": [1, 1.5, true, null, "é"], "a": 1152921504606846976}',
    );
  });

  it("keeps keys such as __proto__ and constructor, and drops undefined values", () => {
    expect(show(JSON.parse('{"__proto__":{"x":1},"constructor":"c"}'))).toBe(
      '{"__proto__": {"x": 1}, "constructor": "c"}',
    );
    expect(show({ a: undefined })).toBe("{}");
    const read = compileAtOnce(
      "{{ x.toString is defined }}{{ x.hasOwnProperty is defined }}{{ x['__proto__'] is defined }}",
    );
    expect(read(new Map([["x", fromJs({})]])).join("")).toBe("FalseFalseFalse");
  });

  it("makes text well-formed", () => {
    expect(show("a\ud800b")).toBe('"a\ufffdb"');
  });

  it("throws RenderError for values that nest too deeply or are functions", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => fromJs(deep)).toThrow(RenderError);
    expect(() => fromJs(() => 1)).toThrow(RenderError);
  });
});

describe("fromJson", () => {
  it("throws for text that nests too deeply or is not JSON", () => {
    expect(() => runAtOnce(fromJson("[".repeat(1000)))).toThrow(JsonDepthError);
    expect(() => runAtOnce(fromJson("{1:2}"))).toThrow(JsonError);
  });
});
