import { expect, test } from "vitest";
import { countNoun } from "../../../src/cli/count-noun.js";
import { ProblemList } from "../../../src/cli/storage/problems.js";

function list(problems: number, options?: { all: boolean }): string[] {
  const lines: string[] = [];
  const problemList = new ProblemList((line) => lines.push(line), options);
  for (let i = 0; i < problems; i++) problemList.add({ what: `head ${i}`, reason: "its checksum is wrong" });
  problemList.end("; --all lists them");
  expect(problemList.count).toBe(problems);
  return lines;
}

test("lists 100 problems and counts the others", () => {
  expect(list(100)).toHaveLength(100);
  expect(list(101).at(-1)).toBe("  and 1 more problem; --all lists them\n");
  expect(list(350)).toHaveLength(101);
  expect(list(350).at(-1)).toBe("  and 250 more problems; --all lists them\n");
  expect(list(350, { all: true })).toHaveLength(350);
});

test("counts the interactions that depend on a damaged one", () => {
  const lines: string[] = [];
  const problemList = new ProblemList((line) => lines.push(line));
  for (const dependents of [undefined, 0, 1, 14]) problemList.add({ what: "a", reason: "b", dependents });
  expect(lines).toEqual([
    "  a: b\n",
    "  a: b\n",
    "  a: b (and 1 interaction that depends on it)\n",
    "  a: b (and 14 interactions that depend on it)\n",
  ]);
});

test("a count of one has a singular", () => {
  expect([0, 1, 2].map((count) => countNoun(count, "held export"))).toEqual([
    "0 held exports",
    "1 held export",
    "2 held exports",
  ]);
});
