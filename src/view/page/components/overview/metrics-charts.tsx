import { useMemo, useState } from "preact/hooks";
import type { MetricsLine } from "../../../api.js";
import type { Series } from "../../charts/create-plot.js";
import { LineChart } from "../../charts/line-chart.js";
import { formatCompact, formatDuration, formatNumber, formatShare } from "../../state/format.js";
import { listMetricCharts, type MetricChart } from "../../state/metric-charts.js";
import { listLink } from "../../state/route.js";
import { InertText } from "../inert-text.js";

/** Number of charts that are drawn at first. A trainer may report hundreds of metrics. */
const SHOWN = 24;

const FORMATS = { number: formatNumber, compact: formatCompact, share: formatShare, duration: formatDuration };
const COLOURS = [1, 2, 3] as const;

/** Charts of the metrics of the job and its trainer over the steps; a list if there is only one step. */
export function MetricsCharts({ lines }: { readonly lines: readonly MetricsLine[] }) {
  const [limit, setLimit] = useState(SHOWN);
  const x = useMemo(() => lines.map(({ step }) => step), [lines]);
  const charts = useMemo(() => listMetricCharts(lines).map(toChart), [lines]);
  if (charts.length === 0) return null;
  const link = (at: number): string => {
    const step = x[at] ?? 0;
    return listLink({ ranges: { step: { low: step, high: step } } });
  };
  if (x.length === 1) return <SingleStep charts={charts} />;
  return (
    <section class="charts" aria-label="Metrics by step">
      {charts.slice(0, limit).map(({ title, series, format }) => (
        <LineChart
          key={title}
          title={`${title} by step`}
          axis="Step"
          x={x}
          series={series}
          format={format}
          link={link}
        />
      ))}
      {charts.length > limit && (
        <button class="button" type="button" onClick={() => setLimit(charts.length)}>
          {`Show ${charts.length - limit} more metrics`}
        </button>
      )}
    </section>
  );
}

interface Chart {
  readonly title: string;
  readonly series: readonly Series[];
  readonly format: (value: number | null) => string;
}

function toChart({ title, kind, lines }: MetricChart): Chart {
  const series = lines.map(({ label, values, edge = false }, at): Series => {
    return { label, values, edge, colour: edge ? 1 : (COLOURS[at] ?? 3) };
  });
  return { title, series, format: FORMATS[kind] };
}

function SingleStep({ charts }: { readonly charts: readonly Chart[] }) {
  return (
    <section class="charts" aria-label="Metrics">
      <figure class="chart">
        <figcaption>
          <span class="chart-title">Metrics of the step</span>
        </figcaption>
        <ul class="ranking metrics">
          {charts.flatMap(({ title, series, format }) =>
            series.map(({ label, values }) => (
              <li key={`${title} ${label}`}>
                <span class="cut">
                  <InertText text={series.length === 1 ? title : `${title}, ${label}`} />
                </span>
                <b>{format(values[0] ?? null)}</b>
              </li>
            )),
          )}
        </ul>
      </figure>
    </section>
  );
}
