import { useState } from "preact/hooks";
import { useKeys } from "../../state/keyboard.js";
import { episodeLink, type Route } from "../../state/route.js";
import { findEpisode, type RunData } from "../../state/run-data.js";
import type { Store } from "../../state/store.js";
import { EpisodePane } from "./episode-pane.js";
import { GroupStrip } from "./group-strip.js";

interface CompareViewProps {
  readonly store: Store;
  readonly data: RunData;
  readonly route: Extract<Route, { view: "compare" }>;
}

/** Two episodes side by side, usually of one group. */
export function CompareView({ store, data, route }: CompareViewProps) {
  const row = findEpisode(data, route.left);
  useKeys({ Escape: () => (location.hash = episodeLink(route.left, route)) });
  return (
    <article class="episode">
      <h2 class="visually-hidden">
        Episodes {route.left} and {route.right}
      </h2>
      {row && <GroupStrip data={data} row={row} query={route} compared={route.right} />}
      <div class="compare">
        <Side store={store} data={data} index={route.left} />
        <Side store={store} data={data} index={route.right} />
      </div>
    </article>
  );
}

function Side({ store, data, index }: { readonly store: Store; readonly data: RunData; readonly index: number }) {
  const [interaction, setInteraction] = useState<number | null>(null);
  return (
    <section aria-label={`Episode ${index}`}>
      <EpisodePane
        source={store.source}
        index={index}
        row={findEpisode(data, index)}
        interaction={interaction}
        onChoose={setInteraction}
        isNarrow
      />
    </section>
  );
}
