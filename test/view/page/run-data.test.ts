import { describe, expect, it } from "vitest";
import type { EpisodeColumns, Overview } from "../../../src/view/api.js";
import { readEpisodeRows } from "../../../src/view/page/state/episode-row.js";
import { readGroups } from "../../../src/view/page/state/groups.js";
import { findEpisode, RunPages } from "../../../src/view/page/state/run-data.js";
import { fixtureOverview } from "../fixtures.js";
import { readRun } from "./read-run.js";

const whole = fixtureOverview({ seed: 2, episodes: 200, turns: 8 });

/** The episodes of an overview from one on, before another, with texts of their own, as a server sends them. */
function pageOf(first: number, end: number, changed: Partial<Overview> = {}): Overview {
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(first, end);
  const { texts, finish_reasons, ...columns } = whole.episodes;
  const reversed = texts.toReversed();
  const moved = (indices: readonly number[]): number[] =>
    cut(indices).map((at) => (at < 0 ? -1 : texts.length - 1 - at));
  const rest = Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, cut<unknown>(values)]));
  const episodes = {
    ...rest,
    texts: reversed,
    task_id: moved(columns.task_id),
    group_id: moved(columns.group_id),
    error: moved(columns.error),
    finish_reasons: Object.fromEntries(Object.entries(finish_reasons).map(([key, values]) => [key, cut(values)])),
  } as unknown as EpisodeColumns;
  return { ...whole, revision: end, reset: false, episodes, ...changed };
}

const NOTHING = { batches: [], steps: [], metrics: [] };

describe("the pages of a run", () => {
  it("make the run, in any order, with the groups of all pages", () => {
    const run = readRun(pageOf(150, 200), pageOf(0, 70, NOTHING), pageOf(70, 150, NOTHING));
    expect(run).toEqual({ ...readRun(whole), revision: 150 });
  });

  it("make groups of the episodes with one id, whose rewards differ by their spread", () => {
    const { episodes } = readRun(whole);
    const rewards = [1, null, 0.25, null, 3];
    const groups = ["a", "a", "a", null, "b"];
    const rows = episodes.slice(0, 5).map((row, at) => ({
      ...row,
      taskId: `t${at}`,
      group: groups[at] ?? null,
      reward: rewards[at] ?? null,
    }));
    expect([...readGroups(rows).values()]).toEqual([
      { id: "a", taskId: "t0", episodes: 3, rewards: [1, 0.25], mean: 0.625, spread: 0.75 },
      { id: "b", taskId: "t4", episodes: 1, rewards: [3], mean: 3, spread: null },
    ]);
    expect(readGroups(rows.slice(1, 2)).get("a")).toMatchObject({ rewards: [], mean: null, spread: null });
  });

  it("are none at first", () => {
    const pages = new RunPages();
    expect([pages.revision, pages.more, pages.size, pages.read()]).toEqual([0, false, 0, null]);
  });

  it("replace the episodes that they repeat, and nothing else", () => {
    expect(readRun(whole, pageOf(50, 60, NOTHING)).episodes).toEqual(readRun(whole).episodes);
  });

  it("remove the episodes that are gone", () => {
    const run = readRun(whole, pageOf(0, 0, { ...NOTHING, removed: [0, 7] }));
    expect(run.episodes.map(({ index }) => index)).toEqual(
      [...whole.episodes.index.keys()].filter((i) => i % 7 || i > 7),
    );
    expect([findEpisode(run, 7), findEpisode(run, 8)?.index, findEpisode(run, 200)]).toEqual([undefined, 8, undefined]);
  });

  it("replace everything if the list begins anew", () => {
    const other = fixtureOverview({ seed: 5, episodes: 3, turns: 2 });
    expect(readRun(whole, other)).toEqual(readRun(other));
  });
});

it("reads an episode that its page tells nothing about", () => {
  const { texts, finish_reasons, ...columns } = whole.episodes;
  const empty = Object.fromEntries(Object.keys(columns).map((key) => [key, []]));
  const page = { ...empty, session_id: ["s"], texts: [], finish_reasons: { stop: [] } } as unknown as EpisodeColumns;
  const numbers = ["calls", "turns", "promptTokens", "completionTokens", "broken", "leftOut", "branches", "version"];
  const absent = ["group", "error", "oldestVersion", "newestVersion", "step", "startedAt", "duration", "reward"];
  expect([texts.length > 0, "stop" in finish_reasons]).toEqual([true, true]);
  expect(readEpisodeRows(page)).toEqual([
    {
      index: -1,
      sessionId: "s",
      task: -1,
      taskId: "",
      accepted: false,
      ...Object.fromEntries(numbers.map((key) => [key, 0])),
      ...Object.fromEntries(absent.map((key) => [key, null])),
      finishReasons: {},
    },
  ]);
  const numbered = Object.keys(columns).filter((key) => !["session_id", "accepted", "batch"].includes(key));
  const full = Object.fromEntries(numbered.map((key, at) => [key, [at + 1]]));
  const all = {
    ...page,
    ...full,
    accepted: [true],
    batch: [7],
    texts: Array.from({ length: 40 }, (_, at) => `t${at}`),
  };
  const [row] = readEpisodeRows(all as unknown as EpisodeColumns);
  expect(Object.values(row ?? {}).filter((value) => value === null || value === 0 || value === -1)).toEqual([]);
  expect(row).toMatchObject({ accepted: true, step: 7 });
  expect(readEpisodeRows({ ...page, group_id: [0], finish_reasons: { stop: [2], length: [0] } })).toMatchObject([
    { group: null, finishReasons: { stop: 2 } },
  ]);
});

describe("staleness", () => {
  const one = fixtureOverview({ seed: 1, episodes: 1, turns: 1 });
  const staleness = (changed: Partial<Overview>): number | null | undefined =>
    readRun({
      ...one,
      episodes: { ...one.episodes, accepted: [true], batch: [4], oldest_version: [3] },
      ...changed,
    }).episodes[0]?.staleness;
  const batch = { number: 4, file: "batch-4.safetensors", version: 5, at: 0, readable: true };
  const step = { type: "step" as const, at: 0, duration: 1 };

  it("is counted from the version after the step before", () => {
    expect(
      staleness({
        batches: [batch],
        steps: [
          { ...step, number: 3, version: 7 },
          { ...step, number: 4, version: 8 },
        ],
      }),
    ).toBe(4);
  });

  it("is counted from the version of the batch if that step is missing", () => {
    expect(staleness({ batches: [batch], steps: [] })).toBe(2);
  });

  it("is unknown for an episode that is in no batch", () => {
    expect(staleness({ batches: [], steps: [] })).toBeNull();
  });
});
