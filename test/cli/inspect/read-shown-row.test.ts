import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEpisodes } from "../../../src/cli/inspect/episodes.js";
import { inspectBatch } from "../../../src/cli/inspect/inspect-batch.js";
import { readShownRow } from "../../../src/cli/inspect/read-shown-row.js";
import { reportJson, rowJson } from "../../../src/cli/inspect/report-json.js";
import { listWarnings } from "../../../src/cli/inspect/warnings.js";
import { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { TensorFile } from "../../../src/support/safetensors/tensor-file.js";
import { turn, user } from "../../helpers/turn.js";
import { temporaryFolder } from "../rolltape.js";

async function openBatch(layout: "padded" | "packed" | "tree"): Promise<TensorFile> {
  const store = new TrajectoryStore();
  for (const [name, reward] of [
    ["one", 0.25],
    ["two", 0.75],
  ] as const) {
    const session = store.createSession({ sessionId: name });
    session.record(turn([user("hi")], [1, 2], [3, 4, 5]));
    session.setReward(reward);
    session.end();
  }
  const batch = await store.exportBatch(["one", "two"], { layout });
  const file = join(temporaryFolder(), "batch.safetensors");
  writeFileSync(file, batch.bytes);
  batch.release();
  store.close();
  return TensorFile.open(file);
}

/** Opens a file with these tensors, all of them empty, and this metadata. */
async function openRaw(names: readonly string[], metadata: Record<string, string>): Promise<TensorFile> {
  const entries = names.map((name) => [name, { dtype: "I32", shape: [0], data_offsets: [0, 0] }]);
  const header = Buffer.from(JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(entries) }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const file = join(temporaryFolder(), "raw.safetensors");
  writeFileSync(file, Buffer.concat([length, header]));
  return TensorFile.open(file);
}

describe("a row that is shown", () => {
  it.each(["padded", "packed", "tree"] as const)("has its reward and tokens in layout %s", async (layout) => {
    await using file = await openBatch(layout);
    const shown = await readShownRow(file, 1, undefined);
    expect(shown).toMatchObject({ row: 1, reward: 0.75, texts: undefined });
    expect(shown.entry.session_id).toBe("two");
    expect(shown.tokens.ids.length).toBeGreaterThan(0);
    expect(shown.warnings).toEqual(["tokens are shown as ids; --model FOLDER shows their text"]);
    expect((await readShownRow(file, 0, undefined)).reward).toBe(0.25);
  });

  it("must be one of the file", async () => {
    await using file = await openBatch("padded");
    await expect(readShownRow(file, 2, undefined)).rejects.toThrow(/^--text 2: rows are numbered from 0 to 1$/);
    await using empty = await openRaw(["input_ids"], {});
    await expect(readShownRow(empty, 0, undefined)).rejects.toThrow(/^--text 0: the file lists no rows$/);
  });

  it.each([
    [["input_ids", "logprobs", "loss_mask"], "it has no tensor versions"],
    [["input_ids", "loss_mask", "versions"], "it has no tensor logprobs"],
    [["input_ids", "logprobs", "versions"], "it has no tensor loss_mask"],
    [["logprobs", "loss_mask", "versions"], "it has no tensor input_ids"],
    [["input_ids", "logprobs", "loss_mask", "versions"], "it has no layout of Rolltape"],
  ])("needs more than %j", async (names, message) => {
    await using batch = await openBatch("padded");
    const { rows = "" } = batch.header.metadata;
    await using file = await openRaw(names, { rows });
    await expect(readShownRow(file, 0, undefined)).rejects.toThrow(message);
  });
});

describe("the report of a batch as JSON", () => {
  it("has its rows, as many as are asked for, and its tensors", async () => {
    await using file = await openBatch("padded");
    const batch = await inspectBatch(file);
    const report = reportJson("b.safetensors", batch, 1) as Record<string, unknown>;
    expect(report).toMatchObject({
      file: "b.safetensors",
      bytes: file.byteLength,
      row_count: 2,
      tokens: 10,
      loss_tokens: 6,
      versions: { 2: 6 },
      rewards: [0.25, 0.75],
      episode_rewards: [0.25, 0.75],
      rows: [{ row: 0, session_id: "one", length: 5, reward: 0.25, columns: { episode_reward: 0.25 } }],
    });
    expect(report["rows"]).toHaveLength(1);
    expect(report["tensors"]).toContainEqual({ name: "input_ids", dtype: "I32", shape: [2, 5] });
    expect(Object.keys(report["metadata"] as object)).not.toContain("rows");
    expect(Object.keys(report["metadata"] as object).length).toBeGreaterThan(0);
    expect(report["warnings"]).toEqual(listWarnings(batch));
  });

  it("has the tokens of a row", async () => {
    await using file = await openBatch("padded");
    const shown = await readShownRow(file, 1, undefined);
    const expected = {
      row: 1,
      session_id: "two",
      reward: 0.75,
      ids: [1, 2, 3, 4, 5],
      texts: null,
      logprobs: [0, 0, -3 / 1024, -4 / 1024, -5 / 1024],
      loss_mask: [0, 0, 1, 1, 1],
      versions: [-1, -1, 2, 2, 2],
      warnings: shown.warnings,
    };
    expect(rowJson(shown)).toMatchObject(expected);
    expect(rowJson({ ...shown, reward: undefined, texts: ["a"] })).toMatchObject({ reward: null, texts: ["a"] });
  });
});

describe("the episodes of a batch", () => {
  const rows = [
    { session_id: "a", group_id: "g" },
    { session_id: "b", group_id: null },
  ] as unknown as Parameters<typeof readEpisodes>[0];
  const columns = (values: readonly number[]) =>
    new Map([["episode_reward", { values }]]) as unknown as Parameters<typeof readEpisodes>[1];

  it("have the reward of their rows", () => {
    expect([...readEpisodes(rows, columns([0.5, -1]))]).toEqual([
      ["a", { groupId: "g", reward: 0.5 }],
      ["b", { groupId: null, reward: -1 }],
    ]);
  });

  it("have no reward where the file has too few, and are none without rewards", () => {
    expect(readEpisodes(rows, columns([0.5])).get("b")).toEqual({ groupId: null, reward: 0 });
    expect(readEpisodes(rows, new Map()).size).toBe(0);
  });
});
