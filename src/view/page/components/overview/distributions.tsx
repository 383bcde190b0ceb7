import { useMemo } from "preact/hooks";
import { countValues } from "../../state/aggregate.js";
import type { EpisodeRow } from "../../state/episode-row.js";
import { RANGE_FIELDS, type RangeKey, VALUE_FIELDS } from "../../state/fields.js";
import { formatCompact, formatNumber, formatSeconds, formatShare, formatWhole } from "../../state/format.js";
import { type Bin, histogram } from "../../state/histogram.js";
import { formatRange, type Range } from "../../state/range.js";
import { listLink } from "../../state/route.js";
import type { RunData } from "../../state/run-data.js";
import { InertText } from "../inert-text.js";

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

interface BarListProps {
  readonly title: string;
  readonly counts: readonly (readonly [value: string, count: number])[];
  /** Number of which the counts are shares. */
  readonly total: number;
  readonly link: (value: string) => string;
  readonly none: string;
  readonly most?: number;
}

/** Values with their numbers and a bar each, the most frequent first. */
function BarList({ title, counts, total, link, none, most = 8 }: BarListProps) {
  // Not `Math.max(...counts)`, which has too many arguments for 100,000 distinct errors.
  const highest = counts.reduce((most, [, count]) => Math.max(most, count), 1);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
      </figcaption>
      {counts.length === 0 && <p class="quiet">{none}</p>}
      <ul class="bar-list">
        {counts.slice(0, most).map(([value, count]) => (
          <li key={value}>
            <a href={link(value)}>
              <span class="bar-label">
                <InertText text={value} />
              </span>
              <span class="bar-value">
                {formatWhole(count)} <span class="quiet">{formatShare(total === 0 ? 0 : count / total)}</span>
              </span>
              <span class="track" aria-hidden="true">
                <span class="bar" style={{ width: `${(100 * count) / highest}%` }} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {counts.length > most && <p class="quiet">and {formatWhole(counts.length - most)} more</p>}
    </figure>
  );
}

interface HistogramChartProps {
  readonly title: string;
  readonly bins: readonly Bin[];
  readonly format?: (value: number) => string;
  /** Returns the address of the list behind a bar. */
  readonly link: (range: Range) => string;
  /** Plural noun for the counts. Default: `episodes`. */
  readonly noun?: string;
}

/** A bar per bin; each is a link with its numbers as its name, so it needs no other text alternative. */
function HistogramChart({ title, bins, format = formatNumber, link, noun = "episodes" }: HistogramChartProps) {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
      </figcaption>
      {bins.length === 0 ? (
        <p class="quiet">Not recorded.</p>
      ) : (
        <ol class="histogram">
          {bins.map(({ range, count }) => (
            <li key={formatRange(range)}>
              <a
                href={link(range)}
                aria-label={`${describe(range, format)}: ${formatWhole(count)} ${noun}`}
                title={`${describe(range, format)}: ${formatWhole(count)}`}
              >
                <span class="column">
                  <span class="bar" style={{ height: `${(100 * count) / most}%` }} />
                </span>
                <span class="tick" aria-hidden="true">
                  {format(range.low)}
                </span>
              </a>
            </li>
          ))}
        </ol>
      )}
    </figure>
  );
}

function describe({ low, high, open }: Range, format: (value: number) => string): string {
  if (low === high) return format(low);
  return `${format(low)} to ${open ? "less than " : ""}${format(high)}`;
}
