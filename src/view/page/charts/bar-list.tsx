import { InertText } from "../components/inert-text.js";
import { formatShare, formatWhole } from "../state/format.js";

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
export function BarList({ title, counts, total, link, none, most = 8 }: BarListProps) {
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
