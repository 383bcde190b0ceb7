import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Overview, SearchResult, Source } from "../../../../src/view/api.js";
import { NotFoundError } from "../../../../src/view/page/source/http-source.js";
import { NO_FILTERS } from "../../../../src/view/page/state/filters.js";
import { parseRoute, type Route } from "../../../../src/view/page/state/route.js";
import { createStore } from "../../../../src/view/page/state/store.js";
import { fixtureOverview } from "../../fixtures.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Lets everything happen that does not wait for time. */
const settle = () => vi.advanceTimersByTimeAsync(0);

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Opens a store in a window with this address. */
function open(source: Partial<Source>, hash = "") {
  const location = { hash };
  const history: [kind: string, address: string][] = [];
  const listeners = new Map<string, () => void>();
  const write = (kind: string) => (_state: unknown, _title: string, address: string) => {
    history.push([kind, address]);
    location.hash = address;
  };
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", { pushState: write("push"), replaceState: write("replace") });
  vi.stubGlobal("addEventListener", (name: string, listener: () => void) => listeners.set(name, listener));
  const go = (address: string) => {
    location.hash = address;
    listeners.get("hashchange")?.();
  };
  return { store: createStore(source as Source), history, go };
}

/** The episodes [from, to) of a run, as a page with the revision `to`. */
function pageOf(from: number, to: number, more: boolean): Overview {
  const whole = fixtureOverview({ seed: 3, episodes: to, turns: 2 });
  const episodes = Object.fromEntries(
    Object.entries(whole.episodes).map(([name, column]) => [
      name,
      Array.isArray(column) && name !== "texts" ? column.slice(from) : column,
    ]),
  ) as unknown as Overview["episodes"];
  const reasons = Object.entries(whole.episodes.finish_reasons).map(([name, column]) => [name, column.slice(from)]);
  const finish_reasons = Object.fromEntries(reasons) as Overview["episodes"]["finish_reasons"];
  return { ...whole, revision: to, more, reset: from === 0, episodes: { ...episodes, finish_reasons } };
}

const whole = (episodes: number): Overview => pageOf(0, episodes, false);

describe("the run that the page shows", () => {
  it("is read page by page, and shown first, when it has doubled, and when it is complete", async () => {
    const pages = [pageOf(0, 4, true), pageOf(4, 6, true), pageOf(6, 8, true), pageOf(8, 9, false)];
    const after: number[] = [];
    const { store } = open({
      overview: async (revision = 0) => {
        after.push(revision);
        return pages.find((page) => page.revision > revision) ?? whole(1);
      },
    });
    const shown: (number | undefined)[] = [];
    store.data.subscribe((data) => shown.push(data?.episodes.length));
    await store.load();
    expect(after).toEqual([0, 4, 6, 8]);
    expect(shown).toEqual([undefined, 4, 8, 9]);
    expect([store.failure.value, store.live.value]).toEqual([null, false]);
  });

  it("grows with the changes that the source waits for", async () => {
    const changes = vi.fn<NonNullable<Source["changes"]>>(never).mockResolvedValueOnce(pageOf(2, 3, false));
    const { store } = open({ overview: async () => whole(2), changes });
    void store.load();
    await settle();
    expect(changes.mock.calls.map(([revision]) => revision)).toEqual([2, 3]);
    expect(store.data.value?.episodes.length).toBe(3);
    expect(store.live.value).toBe(true);
  });

  it("stays as it is if nothing has changed", async () => {
    const changes = vi.fn<NonNullable<Source["changes"]>>(never).mockResolvedValueOnce(whole(2));
    const { store } = open({ overview: async () => whole(2), changes });
    const shown: (number | undefined)[] = [];
    store.data.subscribe((data) => shown.push(data?.episodes.length));
    void store.load();
    await settle();
    expect(changes).toHaveBeenCalledTimes(2);
    expect(shown).toEqual([undefined, 2]);
  });

  it("is absent with a reason if it cannot be read", async () => {
    const { store } = open({ overview: () => Promise.reject(new Error("no server")) });
    await store.load();
    expect([store.data.value, store.failure.value, store.live.value]).toEqual([null, "no server", false]);
  });

  it("is followed again three seconds after a failure, which is shown until then", async () => {
    const changes = vi.fn<NonNullable<Source["changes"]>>(never).mockRejectedValueOnce("torn");
    changes.mockResolvedValueOnce(whole(3));
    const { store } = open({ overview: async () => whole(2), changes });
    void store.load();
    await vi.advanceTimersByTimeAsync(2999);
    expect(store.failure.value).toBe("Changes cannot be read: torn");
    expect(changes).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(store.data.value?.episodes.length).toBe(3);
    expect(store.failure.value).toBeNull();
  });

  it("is not followed if the server has no changes", async () => {
    const changes = () => Promise.reject(new NotFoundError("no such path"));
    const { store } = open({ overview: async () => whole(2), changes });
    await store.load();
    expect([store.live.value, store.failure.value, store.data.value?.episodes.length]).toEqual([false, null, 2]);
  });
});

describe("the address of the page", () => {
  const list: Route = parseRoute("#/episodes?sort=-reward");

  it("decides what is shown", () => {
    const { store, go } = open({}, "#/groups");
    expect(store.route.value).toEqual({ view: "groups" });
    go("#/episodes/3");
    expect(store.route.value).toMatchObject({ view: "episode", episode: 3 });
  });

  it("gets an entry of the history for each other view", () => {
    const { store, history } = open({});
    store.navigate(list);
    store.navigate(list);
    store.navigate({ view: "groups" }, { replace: true });
    expect(history).toEqual([
      ["push", "#/episodes?sort=-reward"],
      ["replace", "#/groups"],
    ]);
    expect(store.route.value).toEqual({ view: "groups" });
  });

  it("selects and orders the list, which stays the same while an episode is open", async () => {
    const { store } = open({ overview: async () => whole(40) }, "#/episodes?status=accepted&sort=-index");
    expect(store.list.value).toEqual([]);
    await store.load();
    const accepted = store.data.value?.episodes.filter((episode) => episode.accepted).map(({ index }) => index) ?? [];
    expect(accepted.length).toBeLessThan(40);
    expect(store.list.value.map(({ index }) => index)).toEqual(accepted.toReversed());
    const { value } = store.list;
    store.navigate(parseRoute("#/episodes/1?status=accepted&sort=-index"));
    expect(store.list.value).toBe(value);
  });
});

describe("the search", () => {
  const textOf = (text: string): Route => ({
    view: "episodes",
    filters: { ...NO_FILTERS, text },
    sort: { key: "index", descending: false },
  });

  async function openSearch(search: Source["search"]) {
    const { store } = open({ overview: async () => whole(5), search });
    await store.load();
    return store;
  }

  it("begins when the user pauses, and fills the list when it has ended", async () => {
    const search = vi.fn<Source["search"]>(async () => ({ episodes: [1, 3], complete: false }));
    const store = await openSearch(search);
    store.navigate(textOf("wo"));
    await vi.advanceTimersByTimeAsync(199);
    store.navigate(textOf("word"));
    await vi.advanceTimersByTimeAsync(199);
    expect(search).not.toHaveBeenCalled();
    expect([store.search.value, store.list.value]).toEqual([null, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(search.mock.calls.map(([words]) => words)).toEqual(["word"]);
    expect(store.search.value).toEqual({ text: "word", episodes: new Set([1, 3]), complete: false });
    expect(store.list.value.map(({ index }) => index)).toEqual([1, 3]);
  });

  it("does not begin without words", async () => {
    const search = vi.fn<Source["search"]>(never);
    const store = await openSearch(search);
    store.navigate(textOf("word"));
    store.navigate(textOf(""));
    await vi.advanceTimersByTimeAsync(1000);
    expect(search).not.toHaveBeenCalled();
    expect(store.list.value.length).toBe(5);
  });

  it("ends when the words change, without a failure", async () => {
    const search = (_text: string, signal: AbortSignal) =>
      new Promise<SearchResult>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
    const store = await openSearch(search);
    store.navigate(textOf("word"));
    await vi.advanceTimersByTimeAsync(200);
    store.navigate(textOf(""));
    await vi.advanceTimersByTimeAsync(1000);
    expect([store.failure.value, store.search.value]).toEqual([null, null]);
  });

  it("that failed finds nothing, and says why", async () => {
    const store = await openSearch(() => Promise.reject(new Error("no file")));
    store.navigate(textOf("word"));
    await vi.advanceTimersByTimeAsync(200);
    expect(store.failure.value).toBe("no file");
    expect(store.search.value).toEqual({ text: "word", episodes: new Set(), complete: false });
  });
});
