import { expect, it } from "vitest";
import { runAtOnce } from "../../../src/support/async/steps.js";
import type { BatchLine, EpisodeSummary, LinePosition, StepLine } from "../../../src/transcript/format.js";
import { TranscriptList } from "../../../src/view/sources/transcript-list.js";
import { fixtureOverview } from "../fixtures.js";

const FACTS = { name: "run", notices: [], isReadable: (file: string) => file === "1" };
const place = { offset: 3, length: 4 };
const batch = (number: number, ...session_ids: string[]) =>
  ({ type: "batch", number, file: `${number}`, version: 2, at: 5, session_ids, ...place }) as BatchLine & LinePosition;
const episode = (session_id?: string) =>
  ({ type: "episode", session_id, finish_reasons: {}, ...place }) as unknown as EpisodeSummary &
    LinePosition & {
      type: "episode";
    };
const step = (number: number) =>
  ({ type: "step", number, version: 1, at: 0, duration: 1, ...place }) as StepLine & LinePosition;

it("lists an episode again when its first batch is written, and not for further shards", () => {
  const list = new TranscriptList(10);
  const since = (revision: number) => {
    const { episodes, batches, steps, ...page } = list.overview(list.log.page(revision), FACTS);
    return {
      episodes: episodes.index,
      batchOf: episodes.batch,
      batches: batches.map(({ number }) => number),
      steps,
      page,
    };
  };
  for (const id of ["a", "b", undefined]) list.add(episode(id));
  const first = list.log.revision;
  expect(since(0)).toMatchObject({ episodes: [0, 1, 2], batchOf: [-1, -1, -1], batches: [] });
  list.add(batch(1, "b", "other"));
  expect(since(first)).toMatchObject({ episodes: [1], batchOf: [1], batches: [1] });
  const second = list.log.revision;
  expect(second).toBe(first + 2);
  list.add(batch(2, "b", "a"));
  expect(since(second)).toMatchObject({ episodes: [0], batchOf: [2], batches: [2] });
  expect(list.log.revision).toBe(second + 2);
  expect(list.batchesOf(episode("b")).map(({ number }) => number)).toEqual([1, 2]);
  expect([list.batchesOf(episode("other")).length, list.batchesOf(episode("x")), list.batchesOf(episode())]).toEqual([
    1,
    [],
    [],
  ]);
  const [written] = list.batchesOf(episode("b"));
  if (written) list.touchBatch(written);
  // Everything once, with its last change.
  expect(since(0)).toMatchObject({ episodes: [2, 1, 0], batches: [2, 1] });
  expect(list.overview(list.log.page(0), FACTS).batches).toEqual([
    { number: 2, file: "2", version: 2, at: 5, readable: false },
    { number: 1, file: "1", version: 2, at: 5, readable: true },
  ]);
});

it("has the first run, each step, and the metrics that are new or different", () => {
  const list = new TranscriptList(1);
  const { run } = fixtureOverview({ seed: 1, episodes: 1, turns: 1 });
  if (!run) throw new Error("The fixture has a run.");
  list.add({ ...run, ...place });
  list.add({ ...run, ...place, model: "other" } as typeof run & LinePosition);
  list.add(step(4));
  const line = { step: 1, version: 1, time: 2, loss: 3 };
  for (const lines of [[line], [line], [line, { ...line, step: 2 }], [{ ...line, loss: 1 }]]) {
    runAtOnce(list.setMetrics(lines));
  }
  const { offset: _offset, length: _length, ...plain } = step(4);
  expect(list.overview(list.log.page(0), FACTS)).toMatchObject({
    name: "run",
    run,
    steps: [plain],
    metrics: [line, { ...line, step: 2 }, { ...line, loss: 1 }],
    removed: [],
  });
  expect(list.run).toEqual(run);
  expect(list.overview(list.log.page(0), FACTS).steps).toEqual([plain]);
});
