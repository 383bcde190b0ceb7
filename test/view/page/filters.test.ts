import { describe, expect, it } from "vitest";
import type { EpisodeRow } from "../../../src/view/page/state/episode-row.js";
import { filterEpisodes, NO_FILTERS, withRange, withValue } from "../../../src/view/page/state/filters.js";
import { parseRoute, queryOf } from "../../../src/view/page/state/route.js";
import { parseSort, sortEpisodes } from "../../../src/view/page/state/sort.js";
import { fixtureOverview } from "../fixtures.js";
import { readRun } from "./read-run.js";

const { episodes } = readRun(fixtureOverview({ seed: 1, episodes: 500, turns: 12 }));

const select = (search: string, found: ReadonlySet<number> | null = null): readonly EpisodeRow[] =>
  filterEpisodes(episodes, queryOf(parseRoute(`#/episodes?${search}`)).filters, found);

/** What a filter must select, said in another way. */
const CASES: readonly (readonly [search: string, expected: (row: EpisodeRow) => boolean])[] = [
  ["status=rejected", (row) => !row.accepted],
  ["error=agent_timeout", (row) => row.error === "agent_timeout"],
  ["finish=length", (row) => "length" in row.finishReasons],
  ["group=group-7", (row) => row.group === "group-7"],
  ["reward=0.5..1", (row) => row.reward !== null && row.reward >= 0.5 && row.reward <= 1],
  ["reward=0..<0.5", (row) => row.reward !== null && row.reward >= 0 && row.reward < 0.5],
  ["version=3", (row) => (row.oldestVersion ?? 9) <= 3 && (row.newestVersion ?? 0) >= 3],
  ["step=2..4", (row) => row.step !== null && row.step >= 2 && row.step <= 4],
  ["spread=0", (row) => row.groupSpread === 0],
  ["staleness=1..", (row) => row.staleness !== null && row.staleness >= 1],
  ["broken=1..&turns=..9", (row) => row.broken > 0 && row.turns <= 9],
];

describe("filters", () => {
  it.each(CASES)("%s selects the matching episodes", (search, expected) => {
    const selected = select(search);
    expect(selected).toEqual(episodes.filter(expected));
    expect(selected.length).toBeGreaterThan(0);
    expect(selected.length).toBeLessThan(episodes.length);
  });

  it("finds text in names at once, and in messages after the search", () => {
    expect(select("q=FIX-parser-0").map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(select("q=nowhere", new Set([3, 450])).map(({ index }) => index)).toEqual([3, 450]);
  });

  it("are removed one by one", () => {
    const both = withValue(withRange(NO_FILTERS, "turns", { low: 1, high: 3 }), "status", "accepted");
    expect(withRange(withValue(both, "status", undefined), "turns", undefined)).toEqual(NO_FILTERS);
  });
});

describe("the order of the list", () => {
  it.each(["reward", "-reward", "staleness", "-staleness", "error", "-error"])(
    "%s has rows without a value last",
    (text) => {
      const sort = parseSort(text);
      const key = sort.key as "reward" | "staleness" | "error";
      const values = sortEpisodes(episodes, sort).map((row) => row[key]);
      const present = values.filter((value) => value !== null);
      expect(values.slice(0, present.length)).toEqual(present);
      const pairs = present.slice(1).map((value, at) => [present[at] ?? value, value] as const);
      expect(pairs.every(([a, b]) => (sort.descending ? a >= b : a <= b))).toBe(true);
    },
  );

  it("keeps the order of the transcript among equal rows", () => {
    const zero = sortEpisodes(episodes, parseSort("-reward")).filter(({ reward }) => reward === 0);
    expect(zero.map(({ index }) => index)).toEqual(zero.map(({ index }) => index).toSorted((a, b) => a - b));
  });
});
