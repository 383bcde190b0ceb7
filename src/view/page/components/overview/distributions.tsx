import { useMemo } from "preact/hooks";
import { BarList } from "../../charts/bar-list.js";
import { HistogramChart } from "../../charts/histogram-chart.js";
import { countValues } from "../../state/aggregate.js";
import type { EpisodeRow } from "../../state/episode-row.js";
import { RANGE_FIELDS, type RangeKey, VALUE_FIELDS } from "../../state/fields.js";
import { formatCompact, formatNumber, formatSeconds } from "../../state/format.js";
import { histogram } from "../../state/histogram.js";
import { listLink } from "../../state/route.js";
import type { RunData } from "../../state/run-data.js";

const HISTOGRAMS: readonly (readonly [title: string, key: RangeKey, format?: (value: number) => string])[] = [
  ["Reward", "reward"],
  ["Completion tokens", "completion", formatCompact],
  ["Prompt tokens", "prompt", formatCompact],
  ["Turns", "turns"],
  ["Staleness", "staleness"],
  ["Duration in seconds", "duration", formatSeconds],
];

/** Histograms of the episodes, and their finish reasons and errors by frequency. */
export function Distributions({ data: { episodes, groups } }: { readonly data: RunData }) {
  const bins = useMemo(() => HISTOGRAMS.map(([, key]) => histogram(episodes.flatMap(firstValue(key)))), [episodes]);
  const groupBins = useMemo(() => histogram([...groups.values()].flatMap(({ mean }) => mean ?? [])), [groups]);
  const finish = useMemo(() => countValues(episodes, VALUE_FIELDS.finish.read), [episodes]);
  const errors = useMemo(() => countValues(episodes, VALUE_FIELDS.error.read), [episodes]);
  return (
    <section class="charts" aria-label="Distributions">
      {HISTOGRAMS.map(([title, key, format = formatNumber], at) => (
        <HistogramChart
          key={key}
          title={title}
          bins={bins[at] ?? []}
          format={format}
          link={(range) => listLink({ ranges: { [key]: range } }, { key, descending: false })}
        />
      ))}
      <HistogramChart
        title="Mean reward of groups"
        bins={groupBins}
        noun="groups"
        link={(range) => listLink({ ranges: { groupmean: range } }, { key: "groupmean", descending: false })}
      />
      <BarList
        title="Episodes by finish reason"
        counts={finish}
        total={episodes.length}
        link={(finish) => listLink({ values: { finish } })}
        none="Not recorded."
      />
      <BarList
        title="Episodes by error"
        counts={errors}
        total={episodes.length}
        link={(error) => listLink({ values: { error } })}
        none="No episode was rejected with an error."
      />
    </section>
  );
}

function firstValue(key: RangeKey): (row: EpisodeRow) => number | [] {
  return (row) => {
    const value = RANGE_FIELDS[key].read(row);
    return typeof value === "number" ? value : (value?.[0] ?? []);
  };
}
