import { expect, it } from "vitest";
import { filterGroups, type GroupFilter, readGroupFilter } from "../../../src/cli/rollout/group-filter.js";
import { parseConfig } from "../../../src/config/index.js";
import { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { assistant } from "../../helpers/turn.js";

interface Episode {
  readonly id: string;
  readonly group?: string;
  readonly reward: number;
  readonly versions: readonly number[];
}

async function filterEpisodes(episodes: readonly Episode[], filter: Partial<GroupFilter>) {
  using store = new TrajectoryStore();
  for (const { id, group, reward, versions } of episodes) {
    const session = store.createSession({ sessionId: id, groupId: group });
    session.record({
      messages: [{ role: "user", content: "?" }],
      output: assistant("!"),
      promptIds: Int32Array.of(1, 2),
      outputIds: Int32Array.from(versions, () => 3),
      logprobs: Float32Array.from(versions, () => -1),
      versions: Int32Array.from(versions),
      finishReason: "stop",
    });
    session.setReward(reward);
    session.end();
  }
  using batch = await store.exportBatch(episodes.map(({ id }) => id));
  return filterGroups(Buffer.from(batch.bytes), { dropZeroVariance: false, oldestVersion: undefined, ...filter });
}

const EPISODES: readonly Episode[] = [
  { id: "a", group: "same", reward: 1, versions: [4, 4] },
  { id: "b", group: "same", reward: 1, versions: [4] },
  { id: "c", group: "mixed", reward: 0, versions: [4] },
  { id: "d", group: "mixed", reward: 1, versions: [3, 4] },
  { id: "e", reward: 1, versions: [4] },
  { id: "same", group: "alone", reward: 1, versions: [2] },
];

it("leaves out groups of several episodes that all have the same reward", async () => {
  const groups = await filterEpisodes(EPISODES, { dropZeroVariance: true });
  expect(groups).toEqual({ equal: ["a", "b"], equalGroups: 1, stale: [], staleGroups: 0 });
});

it("leaves out groups in which a token has an older version, and sessions without a group", async () => {
  const groups = await filterEpisodes([...EPISODES, { id: "f", reward: 1, versions: [3] }], { oldestVersion: 4 });
  expect(groups).toEqual({ equal: [], equalGroups: 0, stale: ["c", "d", "same", "f"], staleGroups: 3 });
});

it("counts a group that is stale and equal once", async () => {
  const groups = await filterEpisodes(EPISODES, { dropZeroVariance: true, oldestVersion: 5 });
  expect(groups).toMatchObject({ equal: [], stale: EPISODES.map(({ id }) => id) });
});

it("is undefined by default, and counts versions back from that of the batch", () => {
  expect(readGroupFilter(parseConfig({}), 7)).toBeUndefined();
  const stale = readGroupFilter(parseConfig({ rollout: { max_token_staleness: 2 } }), 7);
  expect(stale).toEqual({ dropZeroVariance: false, oldestVersion: 5 });
  const equal = readGroupFilter(parseConfig({ rollout: { drop_zero_variance: true } }), 7);
  expect(equal).toEqual({ dropZeroVariance: true, oldestVersion: undefined });
});
