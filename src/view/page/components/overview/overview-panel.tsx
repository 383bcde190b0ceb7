import { useMemo } from "preact/hooks";
import { aggregateSteps, chooseAxis } from "../../state/aggregate.js";
import type { RunData } from "../../state/run-data.js";
import { Counts } from "./counts.js";
import { Distributions } from "./distributions.js";
import { MetricsCharts } from "./metrics-charts.js";
import { ProgressCharts } from "./progress-charts.js";
import { Worst } from "./worst.js";

/** The whole run. Every number, point and bar is a link to the episodes behind it. */
export function OverviewPanel({ data }: { readonly data: RunData }) {
  const { episodes } = data;
  const axis = chooseAxis(episodes);
  const steps = useMemo(() => aggregateSteps(episodes, axis), [episodes, axis]);
  if (episodes.length === 0) return <p class="loading">The run has no episodes yet.</p>;
  return (
    <div class="overview">
      <Counts data={data} />
      <ProgressCharts steps={steps} axis={axis} />
      <MetricsCharts lines={data.metrics} />
      <Distributions data={data} />
      <Worst episodes={episodes} />
    </div>
  );
}
