import { useKeys } from "../../state/keyboard.js";
import { formatRoute, type Route } from "../../state/route.js";
import { findEpisode, type RunData } from "../../state/run-data.js";
import type { Store } from "../../state/store.js";
import { EpisodePane } from "./episode-pane.js";
import { GroupStrip } from "./group-strip.js";

interface EpisodeViewProps {
  readonly store: Store;
  readonly data: RunData;
  readonly route: Extract<Route, { view: "episode" }>;
}

/** One episode, call by call. */
export function EpisodeView({ store, data, route }: EpisodeViewProps) {
  const list = store.list.value;
  const row = findEpisode(data, route.episode);
  const at = list.findIndex(({ index }) => index === route.episode);
  const openBy = (by: number): void => {
    const { value: shown } = store.route;
    const here = list.findIndex(({ index }) => shown.view === "episode" && index === shown.episode);
    const next = here < 0 ? undefined : list[here + by];
    if (!next) return;
    store.chosen.value = next.index;
    store.navigate({ ...route, episode: next.index, interaction: null });
  };
  const back: Route = { view: "episodes", filters: route.filters, sort: route.sort };
  useKeys({
    n: () => openBy(1),
    p: () => openBy(-1),
    Escape: () => {
      store.chosen.value = route.episode;
      store.navigate(back);
    },
  });
  return (
    <article class="episode">
      <nav class="episode-nav" aria-label="Episodes of the list">
        <a href={formatRoute(back)}>← Episodes</a>
        <button type="button" class="button" disabled={at <= 0} onClick={() => openBy(-1)}>
          Previous
        </button>
        <button type="button" class="button" disabled={at < 0 || at + 1 >= list.length} onClick={() => openBy(1)}>
          Next
        </button>
        <span class="quiet">{at < 0 ? "not in the list" : `${at + 1} of ${list.length}`}</span>
      </nav>
      {row && <GroupStrip data={data} row={row} query={route} />}
      <EpisodePane
        source={store.source}
        index={route.episode}
        row={row}
        interaction={route.interaction}
        onChoose={(interaction) => store.navigate({ ...route, interaction }, { replace: true })}
        hasKeys
      />
    </article>
  );
}
