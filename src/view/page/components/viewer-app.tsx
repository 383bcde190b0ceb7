import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../state/keyboard.js";
import type { Store } from "../state/store.js";
import { toggleTheme } from "../state/theme.js";
import { CompareView } from "./episode/compare-view.js";
import { EpisodeView } from "./episode/episode-view.js";
import { GroupsView } from "./groups/groups-view.js";
import { InertText } from "./inert-text.js";
import { KeyDialog, type KeyRequest } from "./key-dialog.js";
import { EpisodesView } from "./list/episodes-view.js";
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

/** Notices of the source, and the last failure of a request. */
function Notices({ store }: { readonly store: Store }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const notices = (store.data.value?.notices ?? []).filter((notice) => !hidden.has(notice));
  const failure = store.failure.value;
  return (
    <div class="notices" role="status">
      {failure !== null && (
        <p class="notice failure">
          <span>
            <InertText text={failure} />
          </span>
          {!store.data.value && (
            <button type="button" class="button" onClick={() => void store.load()}>
              Try again
            </button>
          )}
        </p>
      )}
      {notices.map((notice) => (
        <p key={notice} class="notice">
          <span>
            <InertText text={notice} />
          </span>
          <button type="button" class="icon-button" onClick={() => setHidden(new Set([...hidden, notice]))}>
            <span aria-hidden="true">×</span>
            <span class="visually-hidden">Hide this notice</span>
          </button>
        </p>
      ))}
    </div>
  );
}

const KEYS: readonly (readonly [keys: readonly string[], effect: string])[] = [
  [["j", "k"], "Next, previous episode in the list; next, previous call in an episode"],
  [["Enter"], "Open the episode; show or hide the tokens of the call"],
  [["Escape"], "Back: from tokens to the call, from an episode to its list, from the list to the overview"],
  [["n", "p"], "Next, previous episode of the list, from within an episode"],
  [["/"], "Search"],
  [["g"], "Overview"],
  [["l"], "Colour tokens by log probability, loss mask, version"],
  [["t"], "Light or dark"],
  [["←", "→"], "In a chart: previous, next step. In tokens: previous, next token"],
  [["?"], "This help"],
];

function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, effect]) => (
          <div key={effect}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
