import { formatNumber, formatWhole } from "../state/format.js";
import type { Bin } from "../state/histogram.js";
import { formatRange, type Range } from "../state/range.js";

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
export function HistogramChart({ title, bins, format = formatNumber, link, noun = "episodes" }: HistogramChartProps) {
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
