import type { MetricsLine } from "../../api.js";

/** A chart of metrics over the steps. */
export interface MetricChart {
  readonly title: string;
  readonly kind: "number" | "compact" | "share" | "duration";
  readonly lines: readonly MetricSeries[];
}

export interface MetricSeries {
  readonly label: string;
  /** One value per step; null if the step has none. */
  readonly values: readonly (number | null)[];
  /** True for an edge of a band. */
  readonly edge?: boolean;
}

type Described = Omit<MetricChart, "lines"> & {
  readonly metrics: readonly (readonly [label: string, name: string, edge?: boolean])[];
};

/** The charts of the metrics that every job writes. */
const CHARTS: readonly Described[] = [
  {
    title: "Mean reward",
    kind: "number",
    metrics: [
      ["mean", "reward/mean"],
      ["highest", "reward/max", true],
      ["lowest", "reward/min", true],
    ],
  },
  {
    title: "Episodes",
    kind: "compact",
    metrics: [
      ["accepted", "episodes/accepted"],
      ["rejected", "episodes/rejected"],
    ],
  },
  {
    title: "Tokens",
    kind: "compact",
    metrics: [
      ["in the batch", "tokens/batch"],
      ["trained", "tokens/trained"],
      ["sampled", "tokens/sampled"],
    ],
  },
  { title: "Sampled tokens per second", kind: "compact", metrics: [["tokens", "tokens/sampled_per_second"]] },
  {
    title: "Time",
    kind: "duration",
    metrics: [
      ["rollout", "time/rollout_seconds"],
      ["training", "time/training_seconds"],
      ["export", "time/export_seconds"],
    ],
  },
  { title: "Time of the step", kind: "duration", metrics: [["step", "time/step_seconds"]] },
  { title: "Groups with equal rewards", kind: "share", metrics: [["groups", "groups/zero_variance_share"]] },
  {
    title: "Staleness of tasks",
    kind: "number",
    metrics: [
      ["mean", "staleness/mean"],
      ["highest", "staleness/max"],
    ],
  },
  { title: "Rows of the batch", kind: "compact", metrics: [["rows", "batch/rows"]] },
];

const OWN = new Set(["step", "version", "time", ...CHARTS.flatMap(({ metrics }) => metrics.map(([, name]) => name))]);

/** Returns a chart for each group of the job's metrics that has a value, then one for each metric of the trainer, by name. */
export function listMetricCharts(lines: readonly MetricsLine[]): MetricChart[] {
  const read = (name: string) => lines.map((line) => (Object.hasOwn(line, name) ? (line[name] ?? null) : null));
  const charts = CHARTS.map(({ metrics, ...chart }): MetricChart => {
    const series = metrics.map(([label, name, edge = false]) => ({ label, edge, values: read(name) }));
    return { ...chart, lines: series.filter(({ values }) => values.some((value) => value !== null)) };
  });
  const names = new Set(lines.flatMap((line) => Object.keys(line)));
  const others = [...names]
    .filter((name) => !OWN.has(name))
    .toSorted()
    .map((name): MetricChart => ({ title: name, kind: "number", lines: [{ label: "trainer", values: read(name) }] }));
  return [...charts.filter(({ lines: series }) => series.length > 0), ...others];
}
