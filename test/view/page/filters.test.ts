import { describe, expect, it } from "vitest";
import type { EpisodeRow } from "../../../src/view/page/state/episode-row.js";
import { isRangeKey, isValueKey, RANGE_FIELDS, VALUE_FIELDS } from "../../../src/view/page/state/fields.js";
import { filterEpisodes, NO_FILTERS, withRange, withText, withValue } from "../../../src/view/page/state/filters.js";
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
  ["status=accepted", (row) => row.accepted],
  ["task=fix-parser-0", (row) => row.taskId === "fix-parser-0"],
  ["groupmean=..0.5", (row) => row.groupMean !== null && row.groupMean <= 0.5],
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

  it("find an episode whose versions are in part in the range, or whose only version is", () => {
    const [row] = episodes;
    const versions = (oldestVersion: number | null, newestVersion: number | null) =>
      RANGE_FIELDS.version.read({ ...(row as EpisodeRow), version: 7, oldestVersion, newestVersion });
    expect([versions(2, 4), versions(2, null), versions(null, null)]).toEqual([[2, 4], [2, 2], 7]);
  });

  it("have names that differ, for people and for addresses", () => {
    const fields = [...Object.values(RANGE_FIELDS), ...Object.values(VALUE_FIELDS)];
    const labels: string[] = fields.map(({ label }) => label);
    expect(labels.filter((label) => label === "")).toEqual([]);
    expect(new Set(labels).size).toBe(labels.length);
    expect(["reward", "task", "toString"].map((key) => [isRangeKey(key), isValueKey(key)])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  it("find nothing in an episode without a group, an error or a finish reason", () => {
    const row = { ...(episodes[0] as EpisodeRow), group: null, error: null, finishReasons: {} };
    const { group, error, finish } = VALUE_FIELDS;
    expect([group.read(row), error.read(row), finish.read(row)]).toEqual([[], [], []]);
    expect(group.read({ ...row, group: "g" })).toEqual(["g"]);
    expect(error.read({ ...row, error: "e" })).toEqual(["e"]);
  });

  it("have a text or none", () => {
    const text = withText(NO_FILTERS, "word");
    expect([text, withText(text, "other").text, withText(text, "")]).toEqual([
      { ...NO_FILTERS, text: "word" },
      "other",
      NO_FILTERS,
    ]);
    const named = episodes.find(({ sessionId }) => sessionId !== null && sessionId.length > 4);
    expect(select(`q=${named?.sessionId?.toUpperCase()}`)).toContain(named);
    expect(select("q=group-7").every(({ group }) => group?.startsWith("group-7"))).toBe(true);
  });

  it("are removed one by one", () => {
    const both = withValue(withRange(NO_FILTERS, "turns", { low: 1, high: 3 }), "status", "accepted");
    expect(both).toEqual({ ranges: { turns: { low: 1, high: 3 } }, values: { status: "accepted" } });
    expect(withValue(withValue(both, "task", "t"), "task", undefined)).toStrictEqual(both);
    expect(withRange(withRange(both, "calls", { low: 0, high: 1 }), "calls", undefined)).toStrictEqual(both);
    expect(withRange(withValue(both, "status", undefined), "turns", undefined)).toStrictEqual(NO_FILTERS);
  });
});

describe("the order of the list", () => {
  it("is that of the transcript, or the reverse of it", () => {
    const indices = (text: string) => sortEpisodes(episodes.slice(0, 3), parseSort(text)).map(({ index }) => index);
    expect(["", "index", "-index", "nothing"].map(indices)).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [2, 1, 0],
      [0, 1, 2],
    ]);
  });

  it("follows the oldest version of an episode, and all of its finish reasons", () => {
    const versions = sortEpisodes(episodes, parseSort("version")).map((row) => row.oldestVersion ?? row.version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    const reasons = sortEpisodes(episodes, parseSort("finish")).map((row) => Object.keys(row.finishReasons).join(" "));
    expect(reasons).toEqual(reasons.toSorted());
  });

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
