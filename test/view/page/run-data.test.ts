import { describe, expect, it } from "vitest";
import type { EpisodeColumns, Overview } from "../../../src/view/api.js";
import { mergeOverview } from "../../../src/view/page/state/run-data.js";
import { fixtureOverview } from "../fixtures.js";

const whole = fixtureOverview({ seed: 2, episodes: 200, turns: 8 });

/** The part of an overview from an episode on, with texts of its own, as a server sends it. */
function changesFrom(first: number, changed: Partial<Overview> = {}): Overview {
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(first);
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
  return { ...whole, revision: 2, first, episodes, ...changed };
}

describe("changes of a run", () => {
  it("replace the episodes from the first that changed on", () => {
    const known = mergeOverview(null, whole);
    expect(mergeOverview(known, changesFrom(150)).episodes).toEqual(known.episodes);
  });

  it("keep batches and steps that are not sent again", () => {
    const known = mergeOverview(null, whole);
    const merged = mergeOverview(known, changesFrom(190, { batches: [], steps: [] }));
    expect(merged.batches).toEqual(known.batches);
    expect(merged.episodes).toEqual(known.episodes);
  });

  it("replace everything if they begin with the first episode", () => {
    const known = mergeOverview(null, whole);
    const other = fixtureOverview({ seed: 5, episodes: 3, turns: 2 });
    expect(mergeOverview(known, other)).toEqual(mergeOverview(null, other));
  });
});

describe("staleness", () => {
  const one = fixtureOverview({ seed: 1, episodes: 1, turns: 1 });
  const staleness = (changed: Partial<Overview>): number | null | undefined =>
    mergeOverview(null, {
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
