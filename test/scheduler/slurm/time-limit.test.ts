import { expect, it } from "vitest";
import { parseTimeLimit } from "../../../src/scheduler/slurm/submit.js";

it.each([
  ["--time=30", 30 * 60],
  ["--time=30:15", 30 * 60 + 15],
  ["--time=2:30:15", 2 * 3600 + 30 * 60 + 15],
  ["--time=3-12", (3 * 24 + 12) * 3600],
  ["--time=3-12:30", (3 * 24 + 12) * 3600 + 30 * 60],
  ["--time=3-12:30:15", (3 * 24 + 12) * 3600 + 30 * 60 + 15],
  ["-t45", 45 * 60],
  ["--time=UNLIMITED", undefined],
  ["--time-min=30", undefined],
])("reads %s as %s seconds", (option, seconds) => {
  expect(parseTimeLimit(["--account=me", option])).toBe(seconds);
});

it("uses the last time limit, like sbatch", () => {
  expect(parseTimeLimit(["--time=30", "--time=10"])).toBe(600);
  expect(parseTimeLimit([])).toBeUndefined();
});
