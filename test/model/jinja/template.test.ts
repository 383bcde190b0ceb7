import { describe, expect, it } from "vitest";
import { compileTemplate, RenderError, type Value } from "../../../src/model/jinja/index.js";
import { countSteps } from "../../helpers/iterations.js";
import { compileAtOnce } from "../support/compile-at-once.js";

const render = (source: string, variables: Record<string, Value> = {}): readonly string[] =>
  compileAtOnce(source)(new Map(Object.entries(variables)));

describe("a template with a long outermost loop", () => {
  const inSteps = (source: string, count: number) => {
    const items = Array.from({ length: count }, (_, i) => i);
    return countSteps(compileTemplate(source)(new Map([["items", items]])));
  };

  it("is rendered in steps of 16 iterations, to the same parts", () => {
    const source = "{% for item in items %}{{ loop.index }}:{{ item }} {% endfor %}end";
    const { result, count } = inSteps(source, 2000);
    expect(count).toBe(126);
    expect(result.parts).toEqual([...Array.from({ length: 2000 }, (_, i) => `${i + 1}:${i} `), "end"]);
    expect(inSteps(source, 15).count).toBe(1);
  });

  it("ends at a break", () => {
    const source = "{% for item in items %}{% if item == 600 %}{% break %}{% endif %}{{ item }}{% endfor %}";
    const { result, count } = inSteps(source, 2000);
    expect([result.parts.length, result.parts.at(-1), count]).toEqual([601, "", 38]);
  });

  it("is rendered in steps inside an outermost if, to one part", () => {
    const source = "{% if items %}({% for item in items %}{{ item }} {% endfor %}){% else %}none{% endif %}end";
    const { result, count } = inSteps(source, 40);
    expect(count).toBe(3);
    expect(result.parts).toEqual([`(${Array.from({ length: 40 }, (_, i) => `${i} `).join("")})`, "end"]);
    expect(inSteps(source, 0).result.parts).toEqual(["none", "end"]);
  });

  it("fails with a RenderError in any step", () => {
    const source = "{% for item in items %}{% if item == 600 %}{{ raise_exception('no') }}{% endif %}{% endfor %}";
    expect(() => inSteps(source, 2000)).toThrow(new RenderError("no"));
  });
});

describe("compileTemplate", () => {
  it("has no negative zero among the integers, as in Python", () => {
    expect(compileAtOnce("{{ (-0.2) | int * 1.0 }}")(new Map()).join("")).toBe("0.0");
  });

  it("refuses invalid templates", () => {
    expect(() => compileAtOnce("a\n{% if %}")).toThrow("line 2: expected a value, got '%}'");
    expect(() => compileAtOnce("{{ x")).toThrow("line 1: a tag or an expression has no end");
    expect(() => compileAtOnce("{% if x")).toThrow("line 1: a tag or an expression has no end");
    expect(() => compileAtOnce("{% if x %}\n{% for y in x %}")).toThrow("line 2: expected {% endfor %} or {% else %}");
    expect(() => compileAtOnce("{% include 'x' %}")).toThrow("line 1: {% include %} is not supported");
    expect(() => compileAtOnce("{% for x in y recursive %}")).toThrow("recursive loops are not supported");
    expect(() => compileAtOnce("{% unknown %}")).toThrow("unknown tag 'unknown'");
  });

  it.each([
    ["'ab' * 8388609", "repeated text is too long"],
    ["8388609 * [1, 2]", "repeated list is too long"],
    ["(1, 2) * 8388609", "repeated list is too long"],
    ["2 ** 4097", "exponent too large"],
    ["2.0 ** 4096", "a power is too large or not a real number"],
    ["1 // 0", "division by zero"],
    ["[] < {}", "'<' not supported between instances of 'list' and 'dict'"],
    ["1 in 'a'", "'in <string>' requires string as left operand, not int"],
    ["1 in 1", "argument of type 'int' is not iterable"],
    ["'a' + 1", 'can only concatenate str (not "int") to str'],
    ["{} - 1", "unsupported operand type(s) for -: 'dict' and 'int'"],
    ["-{}", "bad operand type for unary -: 'dict'"],
  ])("refuses %s", (expression, problem) => {
    const render = compileAtOnce(`{{ ${expression} }}`);
    expect(() => [...render(new Map())].join("")).toThrow(problem);
  });

  it.each([
    ["'{:d} {:s} {:.1f} {!r} {n:}'.format(3, 'a', 2, 'b', n=1.5)", "3 a 2.0 'b' 1.5"],
    ["[{'k': 1, 'v': 'first'}, {'k': 1, 'v': 'second'}] | max(attribute='k')", "{'k': 1, 'v': 'first'}"],
    ["[{'k': 1, 'v': 'first'}, {'k': 1, 'v': 'second'}] | min(attribute='k')", "{'k': 1, 'v': 'first'}"],
  ])("renders %s as Python does", (expression, text) => {
    expect([...compileAtOnce(`{{ ${expression} }}`)(new Map())].join("")).toBe(text);
  });

  it("has integers of any size, as in Python", () => {
    const render = compileAtOnce("{{ 2 ** 1024 // 2 ** 1020 }} {{ 2 ** 4096 == 4 ** 2048 }} {{ (-3) ** 3 }}");
    expect([...render(new Map())].join("")).toBe("16 True -27");
  });

  it("repeats texts and lists, and none for a negative number", () => {
    const render = compileAtOnce("{{ 'ab' * 2 }} {{ 2 * [1] }} {{ (1,) * 2 }} {{ 'ab' * -1 }}");
    expect([...render(new Map())].join("")).toBe("abab [1, 1] (1, 1) ");
  });

  it("fails with the message of raise_exception", () => {
    const render = compileAtOnce("{{ raise_exception('roles must alternate') }}");
    expect(() => render(new Map())).toThrow(new RenderError("roles must alternate"));
  });

  it("limits ranges, repeated text and recursion", () => {
    expect(() => compileAtOnce("{{ range(10 ** 12) }}")(new Map())).toThrow(RenderError);
    expect(() => compileAtOnce("{{ 'a' * 10 ** 12 }}")(new Map())).toThrow(RenderError);
    expect(() => compileAtOnce("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")(new Map())).toThrow(RenderError);
  });

  it("refuses tags and assignments that Python's Jinja2 refuses, even in a branch that never runs", () => {
    expect(() => compileAtOnce("{% if false %}{% break %}{% endif %}")).toThrow("'break' outside loop");
    expect(() => compileAtOnce("{% if false %}{% set none = 1 %}{% endif %}")).toThrow("cannot assign to 'none'");
    expect(() => compileAtOnce("{% if false %}{% set d['a'] = 1 %}{% endif %}")).toThrow("cannot assign to an item");
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
    const compiled = compileAtOnce("{{ x is defined }}{% set x = 1 %}{% set range = 2 %}{{ range }}");
    expect(compiled(new Map()).join("")).toBe("False2");
    expect(compiled(new Map()).join("")).toBe("False2");
  });

  it("does not change its variables", () => {
    const variables = new Map<string, Value>([["x", [1]]]);
    compileAtOnce("{% set x = 2 %}{% for x in [3] %}{% endfor %}")(variables);
    expect(variables).toEqual(new Map([["x", [1]]]));
  });
});
