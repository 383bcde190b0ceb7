import { useMemo } from "preact/hooks";
import type { EpisodeRow } from "../../state/episode-row.js";
import { type Filters, filterEpisodes, NO_FILTERS } from "../../state/filters.js";
import { formatDuration, formatNumber } from "../../state/format.js";
import { episodeLink, listLink, type Query } from "../../state/route.js";
import { type Sort, sortEpisodes } from "../../state/sort.js";
import { InertText } from "../inert-text.js";

const SHOWN = 6;
const SLOWEST: Sort = { key: "duration", descending: true };
const LAST: Sort = { key: "index", descending: true };
const REJECTED: Filters = { ranges: {}, values: { status: "rejected" } };

/** Episodes to look at first: the slowest ones and the most recently rejected ones. */
export function Worst({ episodes }: { readonly episodes: readonly EpisodeRow[] }) {
  return (
    <section class="charts" aria-label="Episodes to look at">
      <Ranking
        title="Slowest"
        query={{ filters: NO_FILTERS, sort: SLOWEST }}
        episodes={episodes}
        tell={({ duration }) => formatDuration(duration)}
      />
      <Ranking
        title="Rejected last"
        query={{ filters: REJECTED, sort: LAST }}
        episodes={episodes}
        tell={({ error }) => error ?? "no error"}
      />
    </section>
  );
}

interface RankingProps {
  readonly title: string;
  readonly query: Query;
  readonly episodes: readonly EpisodeRow[];
  readonly tell: (row: EpisodeRow) => string;
}

function Ranking({ title, query, episodes, tell }: RankingProps) {
  const first = useMemo(
    () => sortEpisodes(filterEpisodes(episodes, query.filters, null), query.sort).slice(0, SHOWN),
    [episodes],
  );
  return (
    <figure class="chart">
      <figcaption>
        <a class="chart-title" href={listLink(query.filters, query.sort)}>
          {title}
        </a>
      </figcaption>
      {first.length === 0 && <p class="quiet">None.</p>}
      <ul class="ranking">
        {first.map((row) => (
          <li key={row.index}>
            <a href={episodeLink(row.index, query)}>
              <span class="quiet">{row.index}</span>
              <span class="cut">
                <InertText text={row.taskId} />
              </span>
              <span class="cut">
                <InertText text={tell(row)} />
              </span>
              <b>{formatNumber(row.reward)}</b>
            </a>
          </li>
        ))}
      </ul>
    </figure>
  );
}
