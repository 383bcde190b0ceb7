import { describe, expect, it } from "vitest";
import { compileTemplate, RenderError, type Value } from "../../../src/model/jinja/index.js";

const render = (source: string, variables: Record<string, Value> = {}): string[] =>
  compileTemplate(source)(new Map(Object.entries(variables)));

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

  it("refuses tags and targets that Python's Jinja2 refuses, even if they are never reached", () => {
    expect(() => compileTemplate("{% if false %}{% break %}{% endif %}")).toThrow("'break' outside loop");
    expect(() => compileTemplate("{% if false %}{% set none = 1 %}{% endif %}")).toThrow("cannot assign to 'none'");
    expect(() => compileTemplate("{% if false %}{% set d['a'] = 1 %}{% endif %}")).toThrow("cannot assign to an item");
  });

  it("says what is missing in the words of Python", () => {
    expect(() => render("{{ x.y }}")).toThrow(new RenderError("'x' is undefined"));
    expect(() => render("{{ x.y.z }}", { x: new Map() })).toThrow(
      new RenderError("'dict object' has no attribute 'y'"),
    );
    expect(() => render("{{ x[3].z }}", { x: [] })).toThrow(new RenderError("list object has no element 3"));
    expect(() => render("{{ none.a + 1 }}")).toThrow(new RenderError("'None' has no attribute 'a'"));
  });
});

describe("a rendering", () => {
  it("gives each iteration of an outermost loop, and each statement between them, as a part", () => {
    const parts = render("<{% for x in 'ab' %}{% for y in 'cd' %}{{ x }}{{ y }}{% endfor %}{% endfor %}>");
    expect(parts).toEqual(["<", "acad", "bcbd", ">"]);
    expect(render("{% for x in [] %}{% else %}none{% endfor %}")).toEqual(["none"]);
  });

  it("ends with the part that breaks the loop", () => {
    expect(render("{% for x in 'abc' %}{{ x }}{% if x == 'b' %}{% break %}{% endif %}-{% endfor %}")).toEqual([
      "a-",
      "b",
    ]);
  });

  it("sees nothing of what an earlier one set", () => {
    const compiled = compileTemplate("{{ x is defined }}{% set x = 1 %}{% set range = 2 %}{{ range }}");
    expect(compiled(new Map()).join("")).toBe("False2");
    expect(compiled(new Map()).join("")).toBe("False2");
  });

  it("leaves the variables that it is given as they were", () => {
    const variables = new Map<string, Value>([["x", [1]]]);
    compileTemplate("{% set x = 2 %}{% for x in [3] %}{% endfor %}")(variables);
    expect(variables).toEqual(new Map([["x", [1]]]));
  });
});
