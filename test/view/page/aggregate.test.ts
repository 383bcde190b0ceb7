import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aggregateSteps, chooseAxis, countValues, flatGroups } from "../../../src/view/page/state/aggregate.js";
import { histogram } from "../../../src/view/page/state/histogram.js";
import { overlaps } from "../../../src/view/page/state/range.js";
import { statistics } from "../../../src/view/page/state/statistics.js";
import { fixtureOverview } from "../fixtures.js";
import { readRun } from "./read-run.js";

const { episodes, groups } = readRun(fixtureOverview({ seed: 4, episodes: 640, turns: 10 }));

describe("a histogram", () => {
  const values = fc.array(
    fc.oneof(
      fc.integer({ min: -5000, max: 5000 }),
      fc.double({ min: -3, max: 1e6, noNaN: true, noDefaultInfinity: true }),
    ),
  );

  it("has each value in exactly one bin, and each bin's range selects as many values as it counts", () => {
    fc.assert(
      fc.property(values, (sample) => {
        const bins = histogram(sample);
        expect(bins.length).toBeLessThanOrEqual(18);
        for (const { range, count } of bins) {
          expect(sample.filter((value) => overlaps(range, value, value))).toHaveLength(count);
        }
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(sample.length);
      }),
    );
  });

  it("has round bounds", () => {
    const bins = histogram(Array.from({ length: 100 }, (_, at) => at / 100));
    expect(bins[3]?.range).toEqual({ low: 0.3, high: 0.4, open: true });
    expect(histogram(Array.from({ length: 100 }, (_, at) => at))[1]?.range).toEqual({ low: 10, high: 19 });
  });

  it("leaves out values that are not finite", () => {
    expect(histogram([Number.NaN, Infinity, 1])).toEqual([{ range: { low: 1, high: 1 }, count: 1 }]);
  });
});

describe("statistics", () => {
  it("interpolate percentiles", () => {
    expect(statistics([4, 1, 3, 2, 5])).toEqual({ count: 5, mean: 3, low: 1, high: 5, p10: 1.4, p50: 3, p90: 4.6 });
    expect(statistics([])).toBeNull();
  });
});

describe("the overview", () => {
  const points = aggregateSteps(episodes, "step");

  it("has a point for each step, in order", () => {
    expect(points.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(points.reduce((sum, point) => sum + point.episodes, 0)).toBe(
      episodes.filter(({ step }) => step !== null).length,
    );
  });

  it("has the mean of each step's rewards", () => {
    const rewards = episodes.filter(({ step }) => step === 3).map(({ reward }) => reward ?? 0);
    expect(points[3]?.reward?.mean).toBeCloseTo(rewards.reduce((a, b) => a + b) / rewards.length, 12);
  });

  it("has an axis of steps, or of versions in a run without batches", () => {
    expect(chooseAxis(episodes)).toBe("step");
    expect(chooseAxis(episodes.map((row) => ({ ...row, step: null })))).toBe("version");
  });

  it("finds groups whose rewards are all equal", () => {
    for (const { id } of flatGroups(groups.values())) {
      const rewards = episodes.flatMap((row) => (row.group === id ? (row.reward ?? []) : []));
      expect(new Set(rewards).size).toBe(1);
      expect(rewards.length).toBeGreaterThan(1);
    }
    expect(flatGroups(groups.values()).length).toBeGreaterThan(3);
  });

  it("counts an episode once for each of its finish reasons", () => {
    const counts = new Map(countValues(episodes, (row) => Object.keys(row.finishReasons)));
    expect(counts.get("stop")).toBe(640);
    expect(counts.get("length")).toBe(episodes.filter(({ finishReasons }) => finishReasons["length"]).length);
  });
});

describe("the axis of the charts", () => {
  const oneStep = episodes.filter(({ step }) => step === 3);

  it("has steps if there are several, else the start times of the episodes", () => {
    expect(chooseAxis(episodes)).toBe("step");
    expect(chooseAxis(oneStep)).toBe("started");
    expect(chooseAxis(oneStep.map((row) => ({ ...row, startedAt: null })))).toBe("step");
  });

  it("has a point for each interval in which episodes began, whose range selects them", () => {
    const points = aggregateSteps(oneStep, "started");
    expect(points.length).toBeGreaterThan(6);
    expect(points.reduce((sum, point) => sum + point.episodes, 0)).toBe(oneStep.length);
    for (const { range, episodes: count } of points) {
      const selected = oneStep.filter(({ startedAt }) => overlaps(range, startedAt ?? 0, startedAt ?? 0));
      expect(selected).toHaveLength(count);
    }
  });
});
