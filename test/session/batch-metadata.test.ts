import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { packBatch, packShards, planEpisodes } from "../../src/session/batch/batch.js";
import { SharedMemory } from "../../src/session/batch/batch-memory.js";
import type { BatchOrigin, ExportSummary } from "../../src/session/batch/batch-metadata.js";
import { type BatchOptionsInput, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { mergeOrigins } from "../../src/session/batch/merge-origins.js";
import { isScoredBy, listTeachers, teacherChannels } from "../../src/session/batch/teachers.js";
import { Session, type SessionOptions } from "../../src/session/session.js";
import { LocalSession } from "../../src/session/trajectory-store.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { packageVersion } from "../../src/support/package-version.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { assistant, turn, user } from "../helpers/turn.js";

const ORIGIN: BatchOrigin = { model: "m", modelDigest: "digest", config: { port: 1 } };

/** A session with a conversation of two turns, whose first one is rewarded, and a second call without a reward. */
function recordSession(options: Partial<SessionOptions> = {}): Session {
  const session = new Session({ id: "s", taskId: "task", ...options });
  const local = new LocalSession(session);
  local.record({ ...turn([user("a")], [1], [2]), interactionId: "a" });
  local.record({ ...turn([user("a"), assistant("ok"), user("b")], [1, 2, 3], [4]), interactionId: "b" });
  local.record({ ...turn([user("c")], [5], [6]), interactionId: "c" });
  local.setReward(1, "a");
  return session;
}

async function pack(session: Session, options: BatchOptionsInput = {}, origin?: BatchOrigin) {
  session.end();
  const summaries: ExportSummary[] = [];
  const batch = await packBatch([session], batchOptionsSchema.parse(options), {
    origin,
    onPlanned: (summary) => summaries.push(summary),
  });
  const { metadata, tensors } = readSafetensors(batch.bytes);
  batch.release();
  return { metadata, tensors, summaries };
}

it("lists the sessions of its groups that other servers have, in the order of the export", async () => {
  const sessions = ["a", "b", "theirs", "unrelated"].map((id) => {
    const session = recordSession({ id, groupId: id === "unrelated" ? "other" : "g" });
    session.end();
    return session;
  });
  const options = batchOptionsSchema.parse({});
  const [theirs, unrelated] = runAtOnce(planEpisodes(sessions.slice(2), options, undefined));
  if (!theirs || !unrelated) throw new Error("two sessions are two episodes");
  const others = [
    { ...unrelated, position: 0 },
    { ...theirs, position: 2 },
  ];
  const [batch] = await packShards(sessions.slice(0, 2), options, {
    shards: 1,
    shard: 0,
    within: { shards: 2, shard: 1, others },
  });
  const { metadata } = readSafetensors(batch?.bytes ?? new Uint8Array());
  batch?.release();
  expect(JSON.parse(metadata["episodes"] ?? "[]")).toEqual(
    ["a", "theirs", "b"].map((id) => ({ session_id: id, group_id: "g" })),
  );
  expect([metadata["shard"], metadata["shards"]]).toEqual(["1", "2"]);
});

it("gives out a small batch as a whole only", async () => {
  const session = recordSession();
  session.end();
  const onFirstStripe = vi.fn<() => void>();
  const batch = await packBatch([session], batchOptionsSchema.parse({}), { onFirstStripe });
  expect([onFirstStripe.mock.calls.length, batch.writtenBytes === batch.byteLength]).toEqual([0, true]);
  batch.release();
});

it("refuses a batch whose final rewards do not fit a float32, and names their interactions", async () => {
  const session = recordSession();
  for (const id of ["a", "b"]) session.setReward(3e38, id);
  await expect(pack(session)).rejects.toMatchObject({
    code: "reward_overflow",
    details: { sessions: ["s"], interactions: [{ session_id: "s", interaction_id: "a" }] },
  });
});

describe("the metadata of a batch", () => {
  it("says how the batch was made and what it leaves out", async () => {
    const { metadata, summaries } = await pack(recordSession(), { discount: 0.5 });
    expect(metadata).toMatchObject({
      producer: "rolltape",
      version: packageVersion(),
      layout: "padded",
      style: "individual",
      discount: "0.5",
      rewards_missing: "[]",
      incomplete_calls: "{}",
      aborted_calls: "{}",
      left_out: '{"undelivered":0,"retried":0}',
    });
    expect(JSON.parse(metadata["unrewarded_roots"] ?? "")).toEqual({
      count: 1,
      first: [{ session_id: "s", interaction_id: "c" }],
    });
    for (const absent of ["model", "teachers", "filters", "concat_reward", "uncounted_rewards", "version_labels"]) {
      expect(metadata).not.toHaveProperty(absent);
    }
    expect(summaries).toEqual([
      { unrewardedRoots: 1, uncountedRewardRows: 0, leftOut: { undelivered: 0, retried: 0 } },
    ]);
  });

  it("counts what is missing of a session, and the rewards that rows of style concat leave out", async () => {
    const session = recordSession();
    session.count("incompleteCalls", 2);
    session.count("abortedCalls", 3);
    session.delivery.closedEarly(2);
    const { metadata, summaries } = await pack(session, { style: "concat" });
    expect(metadata).toMatchObject({
      incomplete_calls: '{"s":2}',
      aborted_calls: '{"s":3}',
      concat_reward: "leaf",
      uncounted_rewards: '{"rows":1,"first":[0]}',
      left_out: '{"undelivered":1,"retried":0}',
    });
    expect(summaries[0]?.uncountedRewardRows).toBe(1);
    const unrewarded = new Session({ id: "u", taskId: "task" });
    new LocalSession(unrewarded).record(turn([user("a")], [1], [2]));
    expect((await pack(unrewarded)).metadata["rewards_missing"]).toBe('["u"]');
  });

  it("names the first 64 rows with uncounted rewards", async () => {
    const session = new Session({ id: "s", taskId: "task" });
    const local = new LocalSession(session);
    for (let tree = 0; tree < 65; tree++) {
      const first = [user(`${tree}`)];
      const root = local.record(turn(first, [tree], [2]));
      local.record(turn([...first, assistant("ok"), user("b")], [tree, 2, 3], [4]));
      local.setReward(1, root);
    }
    const { metadata } = await pack(session, { style: "concat" });
    const { rows, first } = JSON.parse(metadata["uncounted_rewards"] ?? "") as { rows: number; first: number[] };
    expect([rows, first]).toEqual([65, Array.from({ length: 64 }, (_, row) => row)]);
  });

  it("has the filters, and the sessions whose rewards they removed", async () => {
    const { metadata } = await pack(recordSession(), { excludeModels: ["x"], roots: "rewarded" });
    expect(metadata).toMatchObject({
      filters: '{"exclude_models":["x"],"roots":"rewarded"}',
      filtered: "1",
      rewards_filtered: "[]",
    });
    const session = new Session({ id: "t", taskId: "task" });
    const local = new LocalSession(session);
    local.record({ ...turn([user("a")], [1], [2]), model: "x" });
    local.setReward(1);
    local.record(turn([user("b")], [1], [2]));
    expect((await pack(session, { excludeModels: ["x"] })).metadata).toMatchObject({
      filtered: "1",
      rewards_filtered: '["t"]',
    });
  });

  it("has the server, its channels, and the newest 256 labels of weight versions", async () => {
    const labels = Object.fromEntries(Array.from({ length: 257 }, (_, version) => [`label-${version}`, version]));
    const origin = { ...ORIGIN, channels: { moe_layers: [1, 2] }, versionLabels: labels };
    const { metadata } = await pack(recordSession(), {}, origin);
    expect(metadata).toMatchObject({ model: "m", model_digest: "digest", config: '{"port":1}', moe_layers: "[1,2]" });
    const { "label-0": _, ...newest } = labels;
    expect(JSON.parse(metadata["version_labels"] ?? "")).toEqual(newest);
    expect((await pack(recordSession(), {}, ORIGIN)).metadata).not.toHaveProperty("version_labels");
    expect((await pack(recordSession(), { rowTensors: false }, origin)).metadata).not.toHaveProperty("model");
  });

  it("has the teachers, and the sessions that lack scores of them", async () => {
    const origin = { ...ORIGIN, config: { teachers: [{ name: "big", top_k: 0 }] } };
    const { metadata } = await pack(recordSession(), {}, origin);
    expect(JSON.parse(metadata["teachers"] ?? "")).toEqual({ big: { logprobs: "raw", unscored: ["s"] } });
    const without = recordSession({ withoutChannels: ["teacher_big"] });
    expect(JSON.parse((await pack(without, {}, origin)).metadata["teachers"] ?? "")).toEqual({
      big: { logprobs: "raw", unscored: [] },
    });
  });
});

describe("the origin of sessions of several servers", () => {
  it("is that of the only server, or none", () => {
    expect([mergeOrigins([]), mergeOrigins([ORIGIN])]).toEqual([undefined, ORIGIN]);
  });

  it("has what the servers have in common, and lists what differs", () => {
    const one = { ...ORIGIN, channels: { a: [1], b: 1, c: 1 }, versionLabels: { x: 1, y: 2 } };
    const two = { ...ORIGIN, model: "n", channels: { a: [1], b: 2, d: 1 }, versionLabels: { y: [2, 3], z: 4 } };
    expect(mergeOrigins([one, two, one])).toEqual({
      model: "m, n",
      modelDigest: "digest",
      config: { port: 1 },
      channels: { a: [1], c: 1, d: 1 },
      versionLabels: { x: 1, y: [2, 3], z: 4 },
    });
    const other = { ...ORIGIN, config: [{ port: 1 }, { port: 2 }] };
    expect(mergeOrigins([ORIGIN, other])).toMatchObject({
      config: [{ port: 1 }, { port: 2 }],
      channels: {},
      versionLabels: {},
    });
  });

  it("is refused for models with different tokenizers", () => {
    expect(() => mergeOrigins([ORIGIN, { ...ORIGIN, model: "n", modelDigest: "other" }])).toThrow(
      expect.objectContaining({ code: "batch_not_exportable", message: expect.stringContaining("(m, n)") }) as Error,
    );
  });
});

it("names no conversation as unrewarded whose calls are all left out or removed", async () => {
  const session = recordSession();
  const local = new LocalSession(session);
  local.record({ ...turn([user("d")], [7], [8]), interactionId: "d" });
  local.record({ ...turn([user("e")], [7], [9]), interactionId: "e", tag: "plan" });
  session.delivery.closedEarly(2);
  const namesOf = async (options: BatchOptionsInput) =>
    (
      JSON.parse((await pack(session, options)).metadata["unrewarded_roots"] ?? "") as {
        first: { interaction_id: string }[];
      }
    ).first.map(({ interaction_id }) => interaction_id);
  expect(await namesOf({})).toEqual(["d", "e"]);
  expect(await namesOf({ tags: ["plan"] })).toEqual(["e"]);
});

it("hands over no part of a small batch before the whole", async () => {
  const session = recordSession();
  session.end();
  const parts: unknown[] = [];
  using batch = await packBatch([session], batchOptionsSchema.parse({}), { onFirstStripe: (part) => parts.push(part) });
  expect([batch.rows.length, parts]).toEqual([3, []]);
});

describe("teachers", () => {
  it("are those of the servers, each once", () => {
    const big = { name: "big", top_k: 2 };
    expect(listTeachers(undefined)).toEqual([]);
    expect(listTeachers({ config: {} })).toEqual([]);
    expect(listTeachers({ config: [{ teachers: [big] }, {}, { teachers: [big, { name: "b", top_k: 0 }] }] })).toEqual([
      { name: "big", topLogprobs: 2 },
      { name: "b", topLogprobs: 0 },
    ]);
  });

  it("have a channel of log probabilities, and two of their most probable tokens if these are recorded", () => {
    const channel = (suffix: string, dtype: string, shape: number[]) => ({
      name: `teacher_b_${suffix}`,
      dtype,
      shape,
      of: "sequence",
    });
    const logprobs = channel("logprobs", "F32", []);
    expect(teacherChannels({ name: "b", topLogprobs: 0 })).toEqual({ logprobs, top: undefined });
    expect(teacherChannels({ name: "b", topLogprobs: 2 })).toEqual({
      logprobs,
      top: { ids: channel("top_ids", "I32", [2]), logprobs: channel("top_logprobs", "F32", [2]) },
    });
  });

  it("have their tensors in a batch although they have scored no token", async () => {
    const origin = (top_k: number) => ({ ...ORIGIN, config: { teachers: [{ name: "b", top_k }] } });
    const namesOf = async (top_k: number) =>
      Object.keys((await pack(recordSession(), {}, origin(top_k))).tensors).filter((name) =>
        /^teacher.*(?<!_mask)$/.test(name),
      );
    expect(await namesOf(0)).toEqual(["teacher_b_logprobs"]);
    expect((await namesOf(2)).toSorted()).toEqual([
      "teacher_b_logprobs",
      "teacher_b_top_ids",
      "teacher_b_top_logprobs",
    ]);
  });

  it("score a session unless its start excludes them", () => {
    const session = recordSession({ withoutChannels: ["teacher_big"] });
    expect([isScoredBy(session, { name: "big" }), isScoredBy(session, { name: "b" })]).toEqual([false, true]);
    expect(isScoredBy(recordSession(), { name: "big" })).toBe(true);
  });
});

describe("shared memory", () => {
  it("is identified by its machine and file system", () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-shared-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const [machine, same] = [
      new SharedMemory({ directory }).machine,
      new SharedMemory({ directory: tmpdir() }).machine,
    ];
    expect(machine).toMatch(new RegExp(`^[0-9a-f-]{36}:${statSync(directory).dev}$`));
    expect(same).toBe(machine);
    expect(new SharedMemory({ directory: join(directory, "none") }).machine).toBeUndefined();
  });

  it("takes no memory before its first batch, nor in a folder that does not exist or is on a disk", () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-shared-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const memory = new SharedMemory({ directory: join(directory, "none") });
    expect(memory.bytesInMemory).toBe(0);
    memory.removeOrphans();
    memory.dropFree();
    memory.trim();
    memory.close();
    memory.close();
    expect(readdirSync(directory)).toEqual([]);
    mkdirSync(join(directory, "none"));
    memory.removeOrphans();
    expect(readdirSync(join(directory, "none"))).toEqual([]);
  });
});
