import { computed, effect, signal } from "@preact/signals";
import type { Overview, Source } from "../../api.js";
import { NotFoundError } from "../source/http-source.js";
import { filterEpisodes } from "./filters.js";
import { formatRoute, parseRoute, queryOf, type Route } from "./route.js";
import { type RunData, RunPages } from "./run-data.js";
import { sortEpisodes } from "./sort.js";

const SEARCH_DELAY_MS = 200;
const RETRY_MS = 3000;

/** Result of the last search. */
interface Found {
  readonly text: string;
  readonly episodes: ReadonlySet<number>;
  readonly complete: boolean;
}

export type Store = ReturnType<typeof createStore>;

/** The state of the page: the run, the route, and the list that follows from both. */
export function createStore(source: Source) {
  const data = signal<RunData | null>(null);
  const failure = signal<string | null>(null);
  /** True while the page receives changes. */
  const live = signal(false);
  const route = signal<Route>(parseRoute(location.hash));
  const found = signal<Found | null>(null);
  /** Index of the episode that was last chosen in the list; Back selects it again. */
  const chosen = signal(-1);

  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });

  /** Shows a route. With `replace`, the history gets no new entry; used while text is typed. */
  function navigate(next: Route, { replace = false } = {}): void {
    const address = formatRoute(next);
    if (address === location.hash) return;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    route.value = next;
  }

  const text = computed(() => queryOf(route.value).filters.text ?? "");
  effect(() => searchLater(text.value));

  function searchLater(words: string): (() => void) | undefined {
    if (words === "") return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      source.search(words, abort.signal).then(
        ({ episodes, complete }) => (found.value = { text: words, episodes: new Set(episodes), complete }),
        (error: unknown) => {
          if (!abort.signal.aborted) found.value = { text: words, episodes: new Set(), complete: false };
          if (!abort.signal.aborted) failure.value = messageOf(error);
        },
      );
    }, SEARCH_DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }

  /** The result for the current text; null while the search is in progress. */
  const search = computed(() => (found.value?.text === text.value ? found.value : null));
  /** The address of the list. It stays the same when an episode is opened, so the list is not computed again. */
  const listAddress = computed(() => formatRoute({ view: "episodes", ...queryOf(route.value) }));
  const list = computed(() => {
    const { filters, sort } = queryOf(parseRoute(listAddress.value));
    return sortEpisodes(filterEpisodes(data.value?.episodes ?? [], filters, search.value?.episodes ?? null), sort);
  });

  const pages = new RunPages();
  /** Number of episodes that are shown. */
  let shown = 0;

  /**
   * Adds a page. A long list is shown when it is complete, and before that each time it has twice as many episodes as are shown: computing the
   * views takes as long as the list is.
   */
  function take(page: Overview): void {
    const isNew = page.revision !== data.value?.revision;
    pages.add(page);
    if (!isNew || (page.more && shown > 0 && pages.size < 2 * shown)) return;
    shown = pages.size;
    data.value = pages.read();
  }

  async function load(): Promise<void> {
    try {
      take(await source.overview());
      failure.value = null;
      await follow();
    } catch (error) {
      failure.value = messageOf(error);
    }
  }

  async function follow(): Promise<void> {
    live.value = source.changes !== undefined;
    const { signal: never } = new AbortController();
    while (live.value || pages.more) {
      try {
        const { revision, more } = pages;
        const page = await (more ? source.overview(revision) : source.changes?.(revision, never));
        failure.value = null;
        if (page) take(page);
      } catch (error) {
        if (error instanceof NotFoundError) return void (live.value = false);
        failure.value = `Changes cannot be read: ${messageOf(error)}`;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  return { source, data, failure, live, route, list, chosen, search, text, navigate, load };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
