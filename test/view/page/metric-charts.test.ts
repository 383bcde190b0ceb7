import { describe, expect, it } from "vitest";
import { METRIC_NAMES } from "../../../src/cli/rollout/metrics/step-metrics.js";
import type { MetricsLine } from "../../../src/view/api.js";
import { listMetricCharts } from "../../../src/view/page/state/metric-charts.js";

const line = (step: number, metrics: Readonly<Record<string, number>>): MetricsLine => {
  return { step, version: step, time: 1000 + step, ...metrics };
};

describe("charts of metrics", () => {
  it("have the numbers of a job in groups, and those of its trainer one by one, by name", () => {
    const charts = listMetricCharts([
      line(0, { "episodes/accepted": 6, "episodes/rejected": 2, loss: 0.5 }),
      line(1, { "episodes/accepted": 8, "grad/norm": 3 }),
    ]);
    expect(charts.map(({ title, lines }) => [title, ...lines.map(({ label, values }) => [label, ...values])])).toEqual([
      ["Episodes", ["accepted", 6, 8], ["rejected", 2, null]],
      ["grad/norm", ["trainer", null, 3]],
      ["loss", ["trainer", 0.5, null]],
    ]);
  });

  it("have every metric of a job in a group", () => {
    const all = line(0, Object.fromEntries(METRIC_NAMES.map((name, at) => [name, at])));
    const series = listMetricCharts([all]).flatMap(({ lines }) => lines);
    expect(series.map(({ label }) => label)).not.toContain("trainer");
    expect(series.filter(({ label }) => label === "")).toEqual([]);
    expect(series.filter(({ edge }) => edge).map(({ label }) => label)).toEqual(["highest", "lowest"]);
    const charts = listMetricCharts([all]);
    expect(charts.filter(({ title }) => title === "")).toEqual([]);
    expect(new Set(charts.map(({ kind }) => kind))).toEqual(new Set(["number", "compact", "duration", "share"]));
    expect(new Set(series.flatMap(({ values }) => values))).toEqual(new Set(METRIC_NAMES.map((_, at) => at)));
  });

  it("show numbers in the form that fits them", () => {
    const kinds = (names: readonly string[]) =>
      listMetricCharts([line(0, Object.fromEntries(names.map((name) => [name, 1])))]).map(({ kind }) => kind);
    expect(kinds(["reward/mean", "staleness/mean", "loss"])).toEqual(["number", "number", "number"]);
    const counts = ["episodes/accepted", "tokens/batch", "tokens/sampled_per_second", "batch/rows"];
    expect(kinds(counts)).toEqual(counts.map(() => "compact"));
    expect(kinds(["time/rollout_seconds", "time/step_seconds"])).toEqual(["duration", "duration"]);
    expect(kinds(["groups/zero_variance_share"])).toEqual(["share"]);
  });

  it("are none without metrics", () => {
    expect(listMetricCharts([])).toEqual([]);
    expect(listMetricCharts([line(0, {})])).toEqual([]);
  });
});
