import { describe, expect, it } from "vitest";
import { percentNoticed, table } from "../../../scripts/mutation/report.js";
import { sample } from "../../../scripts/mutation/sample.js";
import { TestSelection } from "../../../scripts/mutation/select-tests.js";

const items = Array.from({ length: 1000 }, (_, index) => index);

const mutant = (id: number) => ({
  id,
  file: "src/a.ts",
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
  const selection = new TestSelection(["a.test.ts", "b.test.ts", "c.test.ts"], {
    passed: true,
    failure: undefined,
    milliseconds: { "a.test.ts": 300, "b.test.ts": 100, "c.test.ts": 200 },
    reached: [
      { file: "a.test.ts", atLoad: [1], inTests: [2] },
      { file: "b.test.ts", atLoad: [], inTests: [2] },
    ],
  });

  it("are the files whose tests reach it, the quickest first", () => {
    expect(selection.of(mutant(2))).toEqual(["b.test.ts", "a.test.ts"]);
  });

  it("are all files if it is reached when a module is loaded", () => {
    expect(selection.of(mutant(1))).toEqual(["b.test.ts", "c.test.ts", "a.test.ts"]);
  });

  it("are none if nothing reaches it", () => {
    expect(selection.of(mutant(3))).toEqual([]);
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
