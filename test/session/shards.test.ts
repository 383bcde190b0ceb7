import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Batch } from "../../src/session/batch/batch.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { manySessions } from "../helpers/export-model/arbitraries.js";
import type { ModelledSession } from "../helpers/export-model/modelled-session.js";
import { recordInto } from "../helpers/export-model/record.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { turn, user } from "../helpers/turn.js";

function fillStore(sessions: readonly ModelledSession[]): { store: TrajectoryStore; ids: string[] } {
  const store = new TrajectoryStore();
  for (const session of sessions) recordInto(store, session);
  return { store, ids: sessions.map(({ sessionId }) => sessionId) };
}

const random = manySessions({ undelivered: false })
  .map(({ all }) => all)
  .filter((all) => all.some(({ turns }) => turns.length > 0));

/** Returns a store with sessions of several interactions, the same in every run. */
function someSessions(): ReturnType<typeof fillStore> {
  const [some] = fc.sample(
    random.filter(
      (all) =>
        all.length > 1 && all.every(({ turns }) => turns.length > 1 && turns.every(({ prompt }) => prompt.length > 0)),
    ),
    { numRuns: 1, seed: 5 },
  );
  return fillStore(some ?? []);
}

/** Returns every row without its padding, by session and interaction. */
function readRows(batch: Batch<"padded">): Map<string, readonly unknown[]> {
  const { input_ids, loss_mask, logprobs, versions, rewards } = batch.tensors;
  const width = input_ids.shape[1] ?? 0;
  return new Map(
    batch.rows.map(({ sessionId, interactionId, length }, i) => {
      const cells = [input_ids, loss_mask, logprobs, versions].map(({ data }) => [
        ...data.subarray(i * width, i * width + length),
      ]);
      return [`${sessionId}/${interactionId}`, [...cells, rewards.data[i]]];
    }),
  );
}

describe("shards", () => {
  it("contain every row of the whole batch once, each shard padded to its own longest row", async () => {
    await fc.assert(
      fc.asyncProperty(random, fc.integer({ min: 1, max: 5 }), async (sessions, wanted) => {
        const { store, ids } = fillStore(sessions);
        const whole = await store.exportBatch(ids, { discount: 0.5, release: false });
        const count = Math.min(wanted, whole.rows.length);
        const shards = await store.exportShards(ids, { shards: count, discount: 0.5 });
        expect(shards).toHaveLength(count);
        const sizes = shards.map((shard) => shard.rows.reduce((sum, { length }) => sum + length, 0));
        const longest = Math.max(...whole.rows.map(({ length }) => length));
        const mean = sizes.reduce((sum, size) => sum + size, 0) / count;
        expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.max(1.2 * mean, Math.min(...sizes) + longest));
        for (const { tensors, rows } of shards) {
          expect(tensors.input_ids.shape).toEqual([rows.length, Math.max(...rows.map(({ length }) => length))]);
        }
        const found = new Map(shards.flatMap((shard) => [...readRows(shard)]));
        expect(found).toEqual(readRows(whole));
        for (const batch of [whole, ...shards]) batch.release();
      }),
      { numRuns: 80 },
    );
  });

  /** Sessions of four groups with two rows each, two of which have a short answer. */
  function groupedSessions(answerLength = (_session: number) => 4) {
    const store = new TrajectoryStore();
    const ids = Array.from({ length: 8 }, (_, index) => {
      const session = store.createSession({ sessionId: `s${index}`, groupId: `g${index % 4}` });
      const answer = Array<number>(answerLength(index)).fill(7);
      session.record(turn([user("a")], [1, 2], answer));
      session.record(turn([user("b")], [1, 2], answer));
      session.setReward(index);
      session.end();
      return session.id;
    });
    return { store, ids };
  }

  const groupsOf = ({ rows }: Batch) => [...new Set(rows.map(({ groupId }) => groupId))];
  const sessionsOf = ({ rows }: Batch) => [...new Set(rows.map(({ sessionId }) => sessionId))];

  it("keep groups whole", async () => {
    const { store, ids } = groupedSessions();
    const shards = await store.exportShards(ids, { shards: 2 });
    expect(shards.map(groupsOf)).toEqual([
      ["g0", "g2"],
      ["g1", "g3"],
    ]);
  });

  it("keep sessions whole if groups are too few or too large", async () => {
    const few = groupedSessions();
    const shards = await few.store.exportShards(few.ids, { shards: 8 });
    expect(shards.map((shard) => sessionsOf(shard).length)).toEqual(Array<number>(8).fill(1));
    const large = groupedSessions((index) => (index % 4 === 0 ? 30 : 4));
    const [first, second] = await large.store.exportShards(large.ids, { shards: 2 });
    expect([first, second].map((shard) => shard && groupsOf(shard).includes("g0"))).toEqual([true, true]);
    expect(first && second && sessionsOf(first).filter((id) => sessionsOf(second).includes(id))).toEqual([]);
  });

  it("split sessions if there are more shards than sessions", async () => {
    const { store, ids } = groupedSessions();
    const shards = await store.exportShards(ids, { shards: 16 });
    expect(shards.map(({ rows }) => rows.length)).toEqual(Array<number>(16).fill(1));
  });

  it("have the rewards of all episodes of their groups in the whole export", async () => {
    const { store, ids } = groupedSessions();
    const shards = await store.exportShards(ids, { shards: 8 });
    for (const shard of shards) {
      const [group] = groupsOf(shard);
      const first = Number(group?.slice(1));
      const { metadata, tensors } = readSafetensors(shard.bytes);
      expect(JSON.parse(metadata["episodes"] ?? "")).toEqual([
        { session_id: `s${first}`, group_id: group },
        { session_id: `s${first + 4}`, group_id: group },
      ]);
      expect(tensors["episode_reward"]?.data).toEqual([first, first + 4]);
      expect(tensors["episode_return"]?.data).toEqual([first, first + 4]);
      expect(tensors["episode_rows"]?.data).toEqual([2, 2]);
      expect(tensors["episode_group"]?.data).toEqual([0, 0]);
    }
  });

  it("name in their metadata the shard and its rows", async () => {
    const { store, ids } = someSessions();
    const shards = await store.exportShards(ids, { shards: 2, layout: "packed" });
    shards.forEach((shard, index) => {
      const { metadata } = readSafetensors(shard.bytes);
      expect(metadata).toMatchObject({ shard: String(index), shards: "2" });
      expect(JSON.parse(metadata["rows"] ?? "")).toEqual(
        shard.rows.map(({ sessionId, taskId, groupId, split, interactionId, length }) => ({
          session_id: sessionId,
          task_id: taskId,
          group_id: groupId,
          split,
          interaction_id: interactionId,
          length,
        })),
      );
    });
  });

  it("are refused if one would be empty, without losing a session", async () => {
    const { store, ids } = someSessions();
    const rows = (await store.exportBatch(ids, { release: false })).rows.length;
    await expect(store.exportShards(ids, { shards: rows + 1 })).rejects.toMatchObject({
      code: "too_few_rows",
      param: "shards",
      details: { max_shards: rows },
    });
    await expect(store.exportShards(ids, { shards: 0 })).rejects.toMatchObject({ code: "invalid_value" });
    expect(await store.exportShards(ids, { shards: rows })).toHaveLength(rows);
  });

  it("are packed as planned even if their sessions are exported or released meanwhile", async () => {
    const { store, ids } = someSessions();
    const split = () => store.exportShards(ids, { shards: 3 });
    // Both exports begin in one slice, however slow the machine is.
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    const pending = [split(), split()];
    clock.mockRestore();
    store.release(ids);
    const [first, second] = await Promise.all(pending);
    expect(first?.map(readRows)).toEqual(second?.map(readRows));
    expect(first?.flatMap(({ rows }) => rows.map(({ length }) => length)).length).toBeGreaterThan(2);
  });

  it("keep the rows of their sessions, which the export frees", async () => {
    const { store, ids } = someSessions();
    const [first] = await store.exportShards(ids, { shards: 2 });
    await expect(store.exportBatch(ids)).rejects.toMatchObject({ code: "session_not_found" });
    expect(ids).toContain(first?.rows[0]?.sessionId);
    expect(first?.rows[0]?.length).toBeGreaterThan(0);
  });
});
