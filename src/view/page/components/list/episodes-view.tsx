import { useMemo } from "preact/hooks";
import { plural } from "../../state/format.js";
import { useKeys } from "../../state/keyboard.js";
import { episodeLink, type Route } from "../../state/route.js";
import type { SortKey } from "../../state/sort.js";
import type { Store } from "../../state/store.js";
import { VirtualTable } from "../table/virtual-table.js";
import { EPISODE_COLUMNS } from "./episode-columns.js";
import { FilterBar } from "./filter-bar.js";

interface EpisodesViewProps {
  readonly store: Store;
  readonly route: Extract<Route, { view: "episodes" }>;
}

/** The list of episodes that pass the filters of the address. */
export function EpisodesView({ store, route }: EpisodesViewProps) {
  const rows = store.list.value;
  const { chosen } = store;
  const findSelected = (): number => rows.findIndex(({ index }) => index === chosen.value);
  const selected = useMemo(findSelected, [rows, chosen.value]);
  const select = (at: number): void => {
    const row = rows[at];
    if (row) chosen.value = row.index;
  };
  const open = (): void => {
    const row = rows[findSelected()];
    if (row) store.navigate({ ...route, view: "episode", episode: row.index, interaction: null });
  };
  useKeys({
    j: () => select(Math.min(rows.length - 1, findSelected() + 1)),
    k: () => select(Math.max(0, findSelected() - 1)),
    Enter: open,
    Escape: () => store.navigate({ view: "overview" }),
  });
  const onSort = (key: SortKey): void => {
    const descending = route.sort.key === key ? !route.sort.descending : false;
    store.navigate({ ...route, sort: { key, descending } });
  };
  return (
    <div class="list">
      <h2 class="visually-hidden">Episodes</h2>
      <FilterBar store={store} route={route} />
      <p class="result" role="status">
        {plural(rows.length, "episode")} of {store.data.value?.episodes.length ?? 0}
        <SearchState store={store} />
      </p>
      <VirtualTable
        id="episodes"
        label="Episodes"
        columns={EPISODE_COLUMNS}
        rows={rows}
        selected={selected}
        onSelect={select}
        link={(row) => episodeLink(row.index, route)}
        sort={route.sort}
        onSort={onSort}
      />
    </div>
  );
}

function SearchState({ store }: { readonly store: Store }) {
  if (store.text.value === "") return null;
  const found = store.search.value;
  if (found === null) return <> · searching messages…</>;
  return found.complete ? null : (
    <span class="warns"> · not all messages were searched in time; there may be more</span>
  );
}
