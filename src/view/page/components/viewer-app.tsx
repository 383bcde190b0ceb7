import type { Signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { useKeys } from "../state/keyboard.js";
import type { Store } from "../state/store.js";
import { toggleTheme } from "../state/theme.js";
import { CompareView } from "./episode/compare-view.js";
import { EpisodeView } from "./episode/episode-view.js";
import { GroupsView } from "./groups/groups-view.js";
import { HelpDialog } from "./help-dialog.js";
import { KeyDialog, type KeyRequest } from "./key-dialog.js";
import { EpisodesView } from "./list/episodes-view.js";
import { Notices } from "./notices.js";
import { OverviewPanel } from "./overview/overview-panel.js";
import { focusSearch, PageHeader } from "./page-header.js";

interface AppProps {
  readonly store: Store;
  readonly keyRequest: Signal<KeyRequest | null>;
}

export function ViewerApp({ store, keyRequest }: AppProps) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys({
    "?": () => setHelpOpen(true),
    g: () => store.navigate({ view: "overview" }),
    t: toggleTheme,
    "/": focusSearch,
  });
  return (
    <>
      <a class="skip-link" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <PageHeader store={store} onHelp={() => setHelpOpen(true)} />
      <Notices store={store} />
      <main id="main" tabIndex={-1}>
        <View store={store} />
      </main>
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
      {keyRequest.value && <KeyDialog request={keyRequest.value} />}
    </>
  );
}

/** The fragment is the route, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function View({ store }: { readonly store: Store }) {
  const route = store.route.value;
  const data = store.data.value;
  if (!data) return store.failure.value === null ? <p class="loading">Reading the run…</p> : null;
  switch (route.view) {
    case "overview":
      return <OverviewPanel data={data} />;
    case "groups":
      return <GroupsView data={data} />;
    case "episodes":
      return <EpisodesView store={store} route={route} />;
    case "episode":
      return <EpisodeView key={route.episode} store={store} data={data} route={route} />;
    case "compare":
      return <CompareView key={`${route.left}/${route.right}`} store={store} data={data} route={route} />;
  }
}
