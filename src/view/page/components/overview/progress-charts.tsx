import { useMemo } from "preact/hooks";
import type { AxisBounds, Series } from "../../charts/create-plot.js";
import { LineChart } from "../../charts/line-chart.js";
import type { Axis, StepPoint } from "../../state/aggregate.js";
import { formatCompact, formatDuration, formatElapsed, formatNumber, formatShare } from "../../state/format.js";
import { listLink } from "../../state/route.js";
import type { Statistics } from "../../state/statistics.js";

interface ProgressProps {
  readonly steps: readonly StepPoint[];
  readonly axis: Axis;
}

interface Chart {
  readonly title: string;
  readonly series: readonly Series[];
  readonly format?: (value: number | null) => string;
  readonly bounds?: AxisBounds;
}

const NAMES: Readonly<Record<Axis, string>> = { step: "Step", version: "Version", started: "Start time" };

/** Line charts over the steps of a run, or over time if it has only one step: rewards, lengths, staleness, durations. */
export function ProgressCharts({ steps, axis }: ProgressProps) {
  const name = NAMES[axis];
  const x = useMemo(() => steps.map(({ at }) => at), [steps]);
  const charts = useMemo(() => readCharts(steps), [steps]);
  const link = (at: number): string => {
    const range = steps[at]?.range ?? { low: 0, high: 0 };
    return listLink({ ranges: { [axis]: range } });
  };
  const first = x[0] ?? 0;
  const formatX = axis === "started" ? (value: number) => formatElapsed(value - first) : undefined;
  return (
    <section class="charts" aria-label={`By ${name.toLowerCase()}`}>
      {charts.map((chart) => (
        <LineChart
          key={chart.title}
          axis={name}
          x={x}
          formatX={formatX}
          link={link}
          {...chart}
          title={`${chart.title} by ${name.toLowerCase()}`}
        />
      ))}
    </section>
  );
}

function readCharts(steps: readonly StepPoint[]): Chart[] {
  const band = (label: string, read: (point: StepPoint) => Statistics | null): Series[] => [
    { label, colour: 1, values: steps.map((point) => read(point)?.mean ?? null) },
    { label: "90%", colour: 1, edge: true, values: steps.map((point) => read(point)?.p90 ?? null) },
    { label: "10%", colour: 1, edge: true, values: steps.map((point) => read(point)?.p10 ?? null) },
  ];
  return [
    { title: "Reward", series: band("mean", ({ reward }) => reward) },
    {
      title: "Completion tokens",
      series: band("mean", ({ completion }) => completion),
      format: formatCompact,
    },
    { title: "Turns", series: band("mean", ({ turns }) => turns) },
    {
      title: "Staleness",
      series: [
        { label: "mean", colour: 1, values: steps.map(({ staleness }) => staleness?.mean ?? null) },
        { label: "highest", colour: 2, values: steps.map(({ staleness }) => staleness?.high ?? null) },
      ],
      format: formatNumber,
    },
    {
      title: "Zero variance, broken prefixes",
      series: [
        { label: "groups", colour: 1, values: steps.map(({ flatShare }) => flatShare) },
        { label: "calls", colour: 2, values: steps.map(({ brokenShare }) => brokenShare) },
      ],
      format: formatShare,
      bounds: [0, 1],
    },
    { title: "Duration", series: band("mean", ({ duration }) => duration), format: formatDuration },
  ];
}
