import { describe, expect, it } from "vitest";
import { readBenchScripts } from "../../../bench/all/bench-scripts.js";
import { makePlan, type PlannedBench } from "../../../bench/all/plan.js";
import { describeTotal, formatTime, runAll } from "../../../bench/all/run-all.js";

const plan: PlannedBench[] = ["first", "second", "third"].map((name) => ({ name, limitSeconds: 60, args: [] }));

/** Runs the plan with a function in place of a benchmark. */
async function runPlan(limitSeconds: number, outcome: (name: string) => string | undefined = () => undefined) {
  const lines: string[] = [];
  const limits: number[] = [];
  const result = await runAll(plan, {
    limitSeconds,
    run: async ({ name }, limit) => {
      limits.push(limit);
      return outcome(name);
    },
    print: (line) => lines.push(line),
  });
  return { ...result, lines, limits };
}

describe("all benchmarks", () => {
  it("go on after one that fails", async () => {
    const { succeeded, failed, lines } = await runPlan(900, (name) => (name === "second" ? "status 1" : undefined));
    expect(succeeded).toEqual(["first", "third"]);
    expect([...failed]).toEqual([["second", "status 1"]]);
    expect(lines.map((line) => line.replaceAll(/\d+:\d\d/g, "TIME"))).toEqual([
      "[1/3] first … (TIME so far)",
      "    ok (TIME)",
      "[2/3] second … (TIME so far)",
      "    status 1 (TIME)",
      "[3/3] third … (TIME so far)",
      "    ok (TIME)",
    ]);
  });

  it("have the time of their plan, or what is left of the time of all", async () => {
    expect((await runPlan(900)).limits).toEqual([60, 60, 60]);
    const { limits } = await runPlan(50);
    expect(limits).toHaveLength(3);
    expect(Math.max(...limits)).toBeLessThanOrEqual(50);
  });

  it("fail without being run if no time is left", async () => {
    const { limits, succeeded, failed } = await runPlan(5);
    expect({ limits, succeeded }).toEqual({ limits: [], succeeded: [] });
    expect([...failed.values()]).toEqual(plan.map(() => "no time was left of 0:05"));
  });

  it("warn if less than a minute of their time was left", () => {
    expect(describeTotal(800, 900)).toBe("13:20 of 15:00");
    expect(describeTotal(850, 900)).toMatch(/^14:10 of 15:00 \(warning: only 0:50 left; /);
    expect(describeTotal(905, 900)).toMatch(/^15:05 of 15:00 \(warning: too long; /);
  });

  it("show minutes and seconds", () => {
    expect([0, 9.9, 60, 725].map(formatTime)).toEqual(["0:00", "0:09", "1:00", "12:05"]);
  });
});

describe("the plan", () => {
  it("has every benchmark of package.json once", () => {
    const names = makePlan(readBenchScripts()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(
      readBenchScripts()
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it("names the benchmarks that only package.json or only the plan has", () => {
    const scripts = readBenchScripts();
    const other = { name: "other", script: "bench:other", command: "true" };
    expect(() => makePlan([...scripts, other])).toThrow("bench/all/plan.ts lacks other.");
    expect(() => makePlan(scripts.filter(({ name }) => name !== "proxy"))).toThrow("has no script for proxy.");
  });
});
