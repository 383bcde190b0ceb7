import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aggregateSteps, chooseAxis, countValues, flatGroups } from "../../../src/view/page/state/aggregate.js";
import type { EpisodeRow } from "../../../src/view/page/state/episode-row.js";
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
    const secondOf = (count: number) => histogram(Array.from({ length: count }, (_, at) => at))[1]?.range;
    expect([32, 80, 150].map(secondOf)).toEqual([
      { low: 2, high: 3 },
      { low: 5, high: 9 },
      { low: 10, high: 19 },
    ]);
    expect(histogram(Array.from({ length: 17 }, (_, at) => at / 10)).map(({ count }) => count)).toEqual(
      Array.from({ length: 17 }, () => 1),
    );
  });

  it("counts a value on a bound in the bin that begins there, although its quotient is rounded", () => {
    expect(histogram(Array.from({ length: 100 }, (_, at) => at / 100)).map(({ count }) => count)).toEqual(
      Array.from({ length: 10 }, () => 10),
    );
    // Its quotient by the width of 0.0002 is rounded up to -36.
    const below = -0.007_200_000_000_000_001;
    const bins = histogram([-0.0088, -0.0084, -0.008, -0.0076, below, -0.0072, -0.006, -0.0058]);
    expect(bins[0]?.range).toMatchObject({ low: -0.0088, high: -0.0086 });
    expect(
      bins.filter(({ range }) => range.low === -0.0074 || range.low === -0.0072).map(({ count }) => count),
    ).toEqual([1, 1]);
  });

  it("has a bin for each of at most six values, and bins of whole numbers that are at least one wide", () => {
    const widths = (count: number, step = 1) =>
      histogram(
        Array.from({ length: count }, (_, at) => at * step),
        40,
      ).map(({ range: { low, high, open } }) => [low, high, open ?? false]);
    expect(widths(3, 0.5)).toEqual([
      [0, 0, false],
      [0.5, 0.5, false],
      [1, 1, false],
    ]);
    expect([widths(6, 10).length, widths(7, 10).length > 7]).toEqual([6, true]);
    expect(widths(8)).toEqual(Array.from({ length: 8 }, (_, at) => [at, at, false]));
  });

  it("has one bin for values that are too large or too close to each other to be divided", () => {
    const close = Array.from({ length: 7 }, (_, at) => at * Number.MIN_VALUE);
    expect(histogram(close)).toEqual([{ range: { low: 0, high: 6 * Number.MIN_VALUE }, count: 7 }]);
    const large = [-1.7e308, 1.7e308, 0.5, 1.5, 2.5, 3.5, 4.5];
    expect(histogram(large)).toEqual([{ range: { low: -1.7e308, high: 1.7e308 }, count: 7 }]);
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

const [anyRow] = episodes;

describe("a point of the charts", () => {
  const point = (...rows: readonly Partial<EpisodeRow>[]) =>
    aggregateSteps(
      rows.map((row) => ({ ...(anyRow as EpisodeRow), step: 1, ...row })),
      "step",
    );

  it("is where its step is, in the order of the steps", () => {
    expect(point({ step: 2 }, { step: 10 }, { step: null }, { step: 1 }, { step: 2 })).toMatchObject([
      { at: 1, range: { low: 1, high: 1 }, episodes: 1 },
      { at: 2, episodes: 2 },
      { at: 10, episodes: 1 },
    ]);
  });

  it("has the share of calls with broken prefixes, and of groups with equal rewards", () => {
    const flat = { group: "a", groupSpread: 0, calls: 3, broken: 1 };
    const others = [
      { group: "b", groupSpread: 0.5, calls: 5, broken: 1 },
      { group: null, groupSpread: null, calls: 0, broken: 0 },
    ];
    expect(point(flat, flat, ...others)).toMatchObject([{ brokenShare: 3 / 11, flatShare: 0.5 }]);
    expect(point(...others.slice(1))).toMatchObject([{ brokenShare: 0, flatShare: null }]);
  });

  it("has no summary of what no episode has", () => {
    const none = { reward: null, staleness: null, duration: null };
    expect(point(none)).toMatchObject([{ ...none, turns: { count: 1 }, completion: { count: 1 } }]);
    expect(point(none, { reward: 1, staleness: 2, duration: 3 })).toMatchObject([
      { reward: { count: 1, mean: 1 }, staleness: { mean: 2 }, duration: { mean: 3 } },
    ]);
  });
});

it("counts the most frequent text first, and equally frequent ones in their order", () => {
  const texts = ["b", "c", "a", "c", "d", "d"];
  expect(
    countValues(
      texts.map((taskId) => ({ ...(anyRow as EpisodeRow), taskId })),
      ({ taskId }) => [taskId],
    ),
  ).toEqual([
    ["c", 2],
    ["d", 2],
    ["a", 1],
    ["b", 1],
  ]);
});

describe("the axis of the charts", () => {
  const oneStep = episodes.filter(({ step }) => step === 3);

  it("has start times if they are more than a second apart", () => {
    const axisOf = (...times: readonly (number | null)[]) =>
      chooseAxis(times.map((startedAt) => ({ ...(anyRow as EpisodeRow), step: 3, startedAt })));
    expect(axisOf(1000, 1002)).toBe("started");
    for (const times of [[], [1000, 1001], [1000, null], [null, 1000, 1000.5], [1000, Infinity, Number.NaN]]) {
      expect(axisOf(...times)).toBe(times.length === 0 ? "version" : "step");
    }
    const rows = [5, 6].map((step) => ({ ...(anyRow as EpisodeRow), step, startedAt: 1000 * step }));
    expect(chooseAxis(rows)).toBe("step");
  });

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
