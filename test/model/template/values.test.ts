import { describe, expect, it } from "vitest";
import { fromJs } from "../../../src/model/template/from-js.js";
import { fromJson } from "../../../src/model/template/from-json.js";
import { compileTemplate } from "../../../src/model/template/template.js";
import { RenderError } from "../../../src/model/template/values.js";
import { JsonDepthError, JsonError } from "../../../src/support/json/parse.js";

const show = (value: unknown): string => compileTemplate("{{ x | tojson }}")(new Map([["x", fromJs(value)]])).join("");

describe("values of requests", () => {
  it("reach templates as Python has them", () => {
    expect(show({ b: [1, 1.5, true, null, "é"], a: 2 ** 60 })).toBe(
      '{"b": [1, 1.5, true, null, "é"], "a": 1152921504606846976}',
    );
  });

  it("keep keys that objects inherit, and drop what is undefined", () => {
    expect(show(JSON.parse('{"__proto__":{"x":1},"constructor":"c"}'))).toBe(
      '{"__proto__": {"x": 1}, "constructor": "c"}',
    );
    expect(show({ a: undefined })).toBe("{}");
    const read = compileTemplate(
      "{{ x.toString is defined }}{{ x.hasOwnProperty is defined }}{{ x['__proto__'] is defined }}",
    );
    expect(read(new Map([["x", fromJs({})]])).join("")).toBe("FalseFalseFalse");
  });

  it("are well-formed text", () => {
    expect(show("a\ud800b")).toBe('"a\ufffdb"');
  });

  it("are refused where they nest too deeply or are no data", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => fromJs(deep)).toThrow(RenderError);
    expect(() => fromJs(() => 1)).toThrow(RenderError);
  });
});

describe("JSON texts", () => {
  it("are refused where they nest too deeply or are not JSON", () => {
    expect(() => fromJson("[".repeat(1000))).toThrow(JsonDepthError);
    expect(() => fromJson("{1:2}")).toThrow(JsonError);
  });
});

describe("compileTemplate", () => {
  it("refuses what is not a template", () => {
    expect(() => compileTemplate("{% if %}")).toThrow("CloseStatement");
    expect(() => compileTemplate("{% include 'x' %}")).toThrow("include");
  });

  it("fails in the words of the template", () => {
    const render = compileTemplate("{{ raise_exception('roles must alternate') }}");
    expect(() => render(new Map())).toThrow(new RenderError("roles must alternate"));
  });

  it("does not let a template run away", () => {
    expect(() => compileTemplate("{{ range(10 ** 12) }}")(new Map())).toThrow(RenderError);
    expect(() => compileTemplate("{{ 'a' * 10 ** 12 }}")(new Map())).toThrow(RenderError);
    expect(() => compileTemplate("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")(new Map())).toThrow(RenderError);
  });

  it("leaves the package's own templates as they are", async () => {
    const { Template } = await import("@huggingface/jinja");
    expect(new Template("{{ x }} {{ '\na'.lstrip('x') }}").render({ x: true })).toBe("true a");
  });
});
