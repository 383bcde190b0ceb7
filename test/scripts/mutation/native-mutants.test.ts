import { describe, expect, it } from "vitest";
import { insertAll } from "../../../scripts/mutation/inserts.js";
import { findNativeMutants, nativeSwitch } from "../../../scripts/mutation/native/mutants.js";

const find = (source: string) => findNativeMutants(source, "source.cc", 0);

/** What each mutant of a source is called. */
const namesOf = (source: string) => find(source).map(({ name }) => name);

/** The source with the switches of all mutants, in which the switches read `on(id)`. */
const switched = (source: string) =>
  insertAll(source, find(source).flatMap(nativeSwitch)).replaceAll("rolltape::mutantIsOn", "on");

describe("the mutants of a C++ source", () => {
  it.each([
    ["a condition", "if (a) {\n}", ["condition to true", "condition to false"]],
    ["a loop, which is not made endless", "while (a) {\n}", ["condition to false"]],
    [
      "comparisons",
      "if (a < b && c != d) {\n}",
      ["condition to true", "condition to false", "< to <=", "&& to ||", "!= to =="],
    ],
    ["a returned comparison", "return a >= b;", [">= to >"]],
    ["a call", "{\n  a.b()->c(d);\n}", ["statement dropped"]],
    ["an assignment", "{\n  a_[i].b = c;\n  d += e;\n}", ["statement dropped", "statement dropped"]],
    ["an increment", "{\n  ++a;\n  b--;\n}", ["statement dropped", "statement dropped"]],
    ["a limit", "{\n  auto a = std::min<std::size_t>(b, c);\n}", ["min to max"]],
    ["an offset", "{\n  auto a = b + 1;\n}", ["+ 1 dropped"]],
    ["a truth value", "{\n  const bool a = true;\n}", ["true to false"]],
    ["a continue", "for (;;) {\n  continue;\n}", ["continue dropped"]],
  ])("have %s", (_, source, names) => {
    expect(namesOf(source)).toEqual(names);
  });

  it.each([
    ["comments", "// if (a) b();\n/* if (a) */"],
    ["literals", 'auto a = "if (a)\\"; c < d"; auto b = R"(if (a))";'],
    ["preprocessor lines", "#if defined(a)\n#endif"],
    ["the code for other systems", "#ifdef a\n#else\nb();\nif (c) {\n}\n#endif"],
    ["declarations", "{\n  const std::vector<int> a(b);\n  int c = d;\n  Lock lock(mutex_);\n}"],
    ["declarations of functions", "class A {\n public:\n  void a(int b);\n  A(int b);\n};"],
    ["conditions that declare", "if (const auto* a = b()) {\n}\nif (init(); a) {\n}"],
    ["what the compiler must know", "constexpr int a = b + 1;\nstatic_assert(a < b);\ntemplate <bool a = true>"],
    ["reservations of memory", "{\n  a.reserve(b);\n}"],
    ["returns, throws and jumps", "{\n  return a(b);\n  throw a(b);\n  break;\n}"],
  ])("have none in %s", (_, source) => {
    expect(namesOf(source)).toEqual([]);
  });

  it("know the line of the source", () => {
    expect(find("\n// a\nif (a) {\n  b();\n}").map(({ line }) => line)).toEqual([3, 3, 4]);
  });
});

describe("a switch in a C++ source", () => {
  it("replaces a condition, and converts it as `if` does", () => {
    expect(switched("if (a) {\n}")).toBe(
      "if ((on(1) ? (false) : static_cast<bool>((on(0) ? (true) : static_cast<bool>(a))))) {\n}",
    );
  });

  it("leaves a statement out as one statement", () => {
    expect(switched("{\n  a();\n}")).toBe("{\n  { if (!on(0)) a(); }\n}");
  });

  it("keeps the lines of the source", () => {
    const source = "if (a &&\n    b) {\n  c(d,\n    e);\n}";
    expect(switched(source).split("\n")).toHaveLength(source.split("\n").length);
  });
});
