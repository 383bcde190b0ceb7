import { describe, expect, it } from "vitest";
import { compileTemplate, RenderError, type Value } from "../../../src/model/jinja/index.js";

const render = (source: string, variables: Record<string, Value> = {}): string[] =>
  compileTemplate(source)(new Map(Object.entries(variables)));

describe("compileTemplate", () => {
  it("refuses invalid templates", () => {
    expect(() => compileTemplate("{% if %}")).toThrow("CloseStatement");
    expect(() => compileTemplate("{% include 'x' %}")).toThrow("include");
  });

  it("fails with the message of raise_exception", () => {
    const render = compileTemplate("{{ raise_exception('roles must alternate') }}");
    expect(() => render(new Map())).toThrow(new RenderError("roles must alternate"));
  });

  it("limits ranges, repeated text and recursion", () => {
    expect(() => compileTemplate("{{ range(10 ** 12) }}")(new Map())).toThrow(RenderError);
    expect(() => compileTemplate("{{ 'a' * 10 ** 12 }}")(new Map())).toThrow(RenderError);
    expect(() => compileTemplate("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")(new Map())).toThrow(RenderError);
  });

  it("does not change the package's own Template class", async () => {
    const { Template } = await import("@huggingface/jinja");
    expect(new Template("{{ x }} {{ '\na'.lstrip('x') }}").render({ x: true })).toBe("true a");
  });

  it("refuses tags and assignments that Python's Jinja2 refuses, even in a branch that never runs", () => {
    expect(() => compileTemplate("{% if false %}{% break %}{% endif %}")).toThrow("'break' outside loop");
    expect(() => compileTemplate("{% if false %}{% set none = 1 %}{% endif %}")).toThrow("cannot assign to 'none'");
    expect(() => compileTemplate("{% if false %}{% set d['a'] = 1 %}{% endif %}")).toThrow("cannot assign to an item");
  });

  it("names missing variables, attributes and items like Python", () => {
    expect(() => render("{{ x.y }}")).toThrow(new RenderError("'x' is undefined"));
    expect(() => render("{{ x.y.z }}", { x: new Map() })).toThrow(
      new RenderError("'dict object' has no attribute 'y'"),
    );
    expect(() => render("{{ x[3].z }}", { x: [] })).toThrow(new RenderError("list object has no element 3"));
    expect(() => render("{{ none.a + 1 }}")).toThrow(new RenderError("'None' has no attribute 'a'"));
  });
});

describe("a rendering", () => {
  it("has one part for each iteration of an outermost loop and for each statement between", () => {
    const parts = render("<{% for x in 'ab' %}{% for y in 'cd' %}{{ x }}{{ y }}{% endfor %}{% endfor %}>");
    expect(parts).toEqual(["<", "acad", "bcbd", ">"]);
    expect(render("{% for x in [] %}{% else %}none{% endfor %}")).toEqual(["none"]);
  });

  it("ends a loop with the part that breaks it", () => {
    expect(render("{% for x in 'abc' %}{{ x }}{% if x == 'b' %}{% break %}{% endif %}-{% endfor %}")).toEqual([
      "a-",
      "b",
    ]);
  });

  it("does not see variables that an earlier rendering set", () => {
    const compiled = compileTemplate("{{ x is defined }}{% set x = 1 %}{% set range = 2 %}{{ range }}");
    expect(compiled(new Map()).join("")).toBe("False2");
    expect(compiled(new Map()).join("")).toBe("False2");
  });

  it("does not change its variables", () => {
    const variables = new Map<string, Value>([["x", [1]]]);
    compileTemplate("{% set x = 2 %}{% for x in [3] %}{% endfor %}")(variables);
    expect(variables).toEqual(new Map([["x", [1]]]));
  });
});
