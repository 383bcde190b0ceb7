import { describe, expect, it } from "vitest";
import { percentNoticed, table } from "../../../scripts/mutation/report.js";
import { sample } from "../../../scripts/mutation/sample.js";
import { TestSelection } from "../../../scripts/mutation/select-tests.js";

const items = Array.from({ length: 1000 }, (_, index) => index);

const mutant = (id: number, file = "src/a.ts") => ({
  id,
  file,
  line: 7,
  name: "|| to &&",
  replacement: "",
  node: { type: "X", start: 0, end: 0 },
});

describe("a sample", () => {
  it("has as many items as asked for, each once, in order", () => {
    const chosen = sample(items, 60, 1);
    expect(chosen).toHaveLength(60);
    expect(chosen).toEqual([...new Set(chosen)].toSorted((a, b) => a - b));
  });

  it("is the same for the same seed, and another one for another seed", () => {
    expect(sample(items, 60, 1)).toEqual(sample(items, 60, 1));
    expect(sample(items, 60, 2)).not.toEqual(sample(items, 60, 1));
  });

  it("is everything if there is less", () => {
    expect(sample([1, 2, 3], 60, 1)).toEqual([1, 2, 3]);
  });
});

describe("the tests of a mutant", () => {
  const tests = ["test/a/b.test.ts", "test/a/c.test.ts", "test/d/a.test.ts", "test/d/e/f.test.ts"];
  const [b = "", c = "", a = "", f = ""] = tests;
  const selection = new TestSelection();
  selection.add(tests, {
    milliseconds: { [b]: 400, [c]: 100, [a]: 300, [f]: 200 },
    reached: [
      { file: b, atLoad: [1], inTests: [2] },
      { file: c, atLoad: [], inTests: [2] },
    ],
  });

  it("are the files whose tests reach it, the quickest first", () => {
    expect(selection.of(mutant(2), tests)).toEqual([c, b]);
  });

  it("are all files if it is reached when a module is loaded", () => {
    expect(selection.of(mutant(1, "src/g.ts"), tests)).toEqual([c, f, a, b]);
  });

  it("begin with the file of the same name, and then with those that share most folders", () => {
    expect(selection.of(mutant(1, "src/d/e/c.ts"), tests)).toEqual([c, f, a, b]);
    expect(selection.of(mutant(1, "src/d/e/g.ts"), tests)).toEqual([f, a, c, b]);
    expect(selection.of(mutant(1, "src/a/b.ts"), tests)).toEqual([b, c, f, a]);
  });

  it("are those that begin before a limit of time", () => {
    expect(selection.of(mutant(2), tests, 100)).toEqual([c]);
    expect(selection.of(mutant(2), tests, 101)).toEqual([c, b]);
    expect(selection.of(mutant(1, "src/g.ts"), tests, 400)).toEqual([c, f, a]);
  });

  it("are tests of the room only", () => {
    expect(selection.of(mutant(1, "src/g.ts"), [f, a])).toEqual([f, a]);
  });

  it("are none that fail without it", () => {
    const other = new TestSelection();
    other.add([b, c], { milliseconds: {}, reached: [b, c].map((file) => ({ file, atLoad: [1], inTests: [2] })) }, [b]);
    for (const id of [1, 2]) expect(other.of(mutant(id), [b, c])).toEqual([c]);
    expect(other.knows(b)).toBe(true);
  });

  it("are none if nothing reaches it", () => {
    expect(selection.of(mutant(3), tests)).toEqual([]);
  });
});

describe("a report", () => {
  it("lists the mutants that no test noticed, and counts the others", () => {
    const results = [
      { mutant: mutant(1), outcome: "survived" as const },
      { mutant: mutant(2), outcome: "noticed" as const, by: "a test" },
      { mutant: mutant(3), outcome: "not reached" as const },
    ];
    expect(table(results, "session (sample 60, seed 1)").split("\n")).toEqual([
      "| place | mutation | outcome |",
      "|---|---|---|",
      "| src/a.ts:7 | `\\|\\| to &&` | survived |",
      "| src/a.ts:7 | `\\|\\| to &&` | not reached |",
      "",
      "session (sample 60, seed 1): 1 of 3 mutants noticed, 33 %",
      "",
    ]);
  });

  it("does not count mutants that change nothing", () => {
    const results = [
      { mutant: mutant(1), outcome: "equivalent" as const },
      { mutant: mutant(2), outcome: "noticed" as const },
    ];
    expect(table(results, "session").split("\n")).toContain("session: 1 of 1 mutants noticed, 100 %");
    expect(percentNoticed(results)).toBe(100);
  });
});
