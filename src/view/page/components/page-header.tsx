import { formatTime, plural } from "../state/format.js";
import type { Route } from "../state/route.js";
import type { Store } from "../state/store.js";
import { currentTheme, toggleTheme } from "../state/theme.js";
import { InertText } from "./inert-text.js";

interface HeaderProps {
  readonly store: Store;
  readonly onHelp: () => void;
}

const VIEWS: readonly (readonly [label: string, view: Route["view"], address: string])[] = [
  ["Overview", "overview", "#/"],
  ["Episodes", "episodes", "#/episodes"],
  ["Groups", "groups", "#/groups"],
];

export function PageHeader({ store, onHelp }: HeaderProps) {
  const { view } = store.route.value;
  const shown = view === "episode" || view === "compare" ? "episodes" : view;
  return (
    <header class="header">
      <RunName store={store} />
      <nav aria-label="Views">
        {VIEWS.map(([label, name, address]) => (
          <a key={name} href={address} aria-current={name === shown ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <SearchField store={store} />
      <button type="button" class="icon-button" onClick={toggleTheme} title="Light or dark (t)">
        <span class="theme-icon" aria-hidden="true" />
        <span class="visually-hidden">{currentTheme() === "dark" ? "Use the light theme" : "Use the dark theme"}</span>
      </button>
      <button type="button" class="icon-button" onClick={onHelp} title="Keys (?)">
        <span aria-hidden="true">?</span>
        <span class="visually-hidden">Keys</span>
      </button>
    </header>
  );
}

function RunName({ store }: { readonly store: Store }) {
  const data = store.data.value;
  return (
    <div class="run-name">
      <h1>
        <InertText text={data?.name ?? "Rolltape"} />
      </h1>
      {data && (
        <p>
          {data.run?.model !== undefined && (
            <>
              <InertText text={data.run.model} /> ·{" "}
            </>
          )}
          {plural(data.episodes.length, "episode")}
          {data.run && <> · {formatTime(data.run.started_at)}</>}
          {store.live.value && <span class="live"> live</span>}
        </p>
      )}
    </div>
  );
}

/** Searches the messages of all episodes. Typing opens the list. Further typing replaces the history entry, so that Back leaves the search. */
function SearchField({ store }: { readonly store: Store }) {
  const route = store.route.value;
  const search = (text: string): void => {
    const base = route.view === "episodes" ? route : null;
    const { text: _, ...filters } = base?.filters ?? { ranges: {}, values: {} };
    store.navigate(
      {
        view: "episodes",
        filters: text === "" ? filters : { ...filters, text },
        sort: base?.sort ?? { key: "index", descending: false },
      },
      { replace: base?.filters.text !== undefined && text !== "" },
    );
  };
  return (
    <form role="search" class="search" onSubmit={(event) => event.preventDefault()}>
      <input
        id="search"
        type="search"
        placeholder="Search messages"
        aria-label="Search messages"
        aria-keyshortcuts="/"
        value={route.view === "episodes" ? (route.filters.text ?? "") : ""}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") document.getElementById("episodes")?.focus();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

export const focusSearch = (): void => document.getElementById("search")?.focus();
