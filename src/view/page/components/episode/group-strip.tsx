import { useMemo } from "preact/hooks";
import type { EpisodeRow } from "../../state/episode-row.js";
import { formatNumber } from "../../state/format.js";
import { episodeLink, formatRoute, type Query } from "../../state/route.js";
import type { RunData } from "../../state/run-data.js";
import { InertText } from "../inert-text.js";

interface GroupStripProps {
  readonly data: RunData;
  readonly row: EpisodeRow;
  readonly query: Query;
  /** The episode on the right side. */
  readonly compared?: number;
}

/** The episodes of a group, highest reward first. Each has a link to it and a link that compares it with this episode. */
export function GroupStrip({ data, row, query: { filters, sort }, compared }: GroupStripProps) {
  const members = useMemo(() => readMembers(data, row), [data, row]);
  if (members.length < 2) return null;
  return (
    <section class="group-strip" aria-label="Episodes of the group">
      <span class="quiet">
        Group <InertText text={row.group ?? ""} />
      </span>
      <ol>
        {members.map(({ index, reward }) => (
          <li key={index} class={index === row.index || index === compared ? "member current" : "member"}>
            <a href={episodeLink(index, { filters, sort })} aria-current={index === row.index ? "true" : undefined}>
              <span class="quiet">{index}</span> <b>{formatNumber(reward)}</b>
            </a>
            {index !== row.index && (
              <a
                class="compare-link"
                href={formatRoute({ view: "compare", left: row.index, right: index, filters, sort })}
                title={`Show beside episode ${row.index}`}
              >
                <span aria-hidden="true">vs</span>
                <span class="visually-hidden">
                  Show episode {index} beside episode {row.index}
                </span>
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function readMembers({ episodes }: RunData, { group }: EpisodeRow): EpisodeRow[] {
  if (group === null) return [];
  return episodes
    .filter((other) => other.group === group)
    .toSorted((a, b) => (b.reward ?? -Infinity) - (a.reward ?? -Infinity));
}
