import { readFile } from "node:fs/promises";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { SharedBatchFields, TrajectoriesFields } from "../../src/client/admin-client.js";
import { ProxyError } from "../../src/client/errors.js";
import { SessionClient } from "../../src/client/session-client.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { sharedDirectory } from "../helpers/shared-directory.js";

const USER = [{ role: "user", content: "hello" }];

async function withSessions(count: number) {
  const directory = sharedDirectory();
  const { proxy, engine } = await listeningProxy({
    settings: { sharedMemory: { directory, maxBytes: 1 << 24 } },
  });
  const { admin } = engine;
  await admin.grantCapacity(Math.max(1, count));
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const session = await SessionClient.start(admin);
    await proxy.chat({ id: session.sessionId, key: session.sessionApiKey }, USER);
    await session.setLastReward(index);
    await session.end();
    ids.push(session.sessionId);
  }
  return { proxy, admin, ids };
}

// Typed so that a field that is added to the client is missing here.
const everyField: Required<SharedBatchFields> = {
  split: "train",
  style: "concat",
  discount: 0.5,
  concat_reward: "return",
  shared_turns: "weight",
  image_bytes: "tensor",
  include_undelivered: true,
  models: ["tiny"],
  exclude_models: ["small*"],
  tags: [""],
  roots: "rewarded",
  overlong: "drop",
  on_mismatch: "split",
  wait_seconds: 1,
  drain_seconds: 1,
  layout: "packed",
  pad_token_id: 0,
  pad_side: "left",
  pad_to_multiple_of: 8,
  max_length: 10_000,
  overflow: "drop",
  row_tensors: true,
  turns: true,
  shards: 1,
  shard: 0,
  lease_seconds: 5,
  reader_pid: process.pid,
  acknowledge: false,
};

describe("AdminClient", () => {
  it("sends only fields that the proxy knows, and throws unknown_parameter for a misspelled field", async () => {
    const { admin, ids } = await withSessions(1);
    const [file] = await admin.exportSharedBatch(ids, everyField);
    expect(await admin.acknowledge(file?.id ?? "")).toBe(true);
    const { style, discount, concat_reward, include_undelivered, on_mismatch, wait_seconds, drain_seconds } =
      everyField;
    const { models, exclude_models, tags, overlong } = everyField;
    const fields: Required<TrajectoriesFields> = {
      split: "train",
      style,
      discount,
      concat_reward,
      include_undelivered,
      models,
      exclude_models,
      tags,
      overlong,
      roots: "all",
      on_mismatch,
      wait_seconds,
      drain_seconds,
      include: [],
    };
    expect((await admin.exportTrajectories(ids[0] ?? "", fields)).size).toBe(1);
    const misspelled: object = { discont: 0.5 };
    await expect(admin.exportBatch(ids, misspelled)).rejects.toMatchObject({
      code: "unknown_parameter",
      param: "discont",
      message: "Unrecognized request argument: `discont`. Did you mean `discount`?",
    });
  });

  it("passes row_tensors, turns and concat_reward of an export", async () => {
    const { admin, ids } = await withSessions(1);
    const { tensors: without } = readSafetensors(await admin.exportBatch(ids, { row_tensors: false }));
    expect(Object.keys(without).filter((name) => name.startsWith("row_"))).toEqual([]);
    const fields = { style: "concat", concat_reward: "return", turns: true } as const;
    const { tensors, metadata } = readSafetensors(await admin.exportBatch(ids, fields));
    expect(metadata).toMatchObject({ concat_reward: "return" });
    expect(tensors["cu_turns"]?.data).toEqual([0, 1]);
  });

  it("exports several sessions as one safetensors block, with the same bytes when repeated", async () => {
    const { admin, ids } = await withSessions(3);
    const batch = await admin.exportBatch(ids, { pad_to_multiple_of: 8 });
    const { tensors } = readSafetensors(batch);
    expect(tensors["rewards"]?.data).toEqual([0, 1, 2]);
    expect((tensors["input_ids"]?.shape[1] ?? 1) % 8).toBe(0);
    expect(await admin.exportBatch(ids, { pad_to_multiple_of: 8 })).toEqual(batch);
  });

  it("exports to one shared-memory file or one per shard, and acknowledges a file only once", async () => {
    const { admin, ids } = await withSessions(2);
    const [file, ...others] = await admin.exportSharedBatch(ids);
    expect(others).toEqual([]);
    const bytes = await readFile(file?.path ?? "");
    expect(bytes.byteLength).toBe(file?.byteLength);
    expect(readSafetensors(bytes).tensors["rewards"]?.data).toEqual([0, 1]);
    expect(await admin.acknowledge(file?.id ?? "")).toBe(true);
    expect(await admin.acknowledge(file?.id ?? "")).toBe(false);

    const shards = await admin.exportSharedBatch(ids, { shards: 2 });
    const rewards = await Promise.all(
      shards.map(async ({ path }) => readSafetensors(await readFile(path)).tensors["rewards"]?.data),
    );
    expect(new Set(rewards.flat())).toEqual(new Set([0, 1]));
  });

  it("sets the weight version of later tokens", async () => {
    const { proxy, admin } = await withSessions(0);
    await admin.setVersion(7);
    expect(proxy.context.weightVersion.version).toBe(7);
  });

  it("returns the transcripts of sessions, with discounted rewards, until they are deleted", async () => {
    const { engine, url } = await listeningProxy();
    const { admin } = engine;
    await admin.grantCapacity();
    const session = await SessionClient.start(admin, { taskId: "math" });
    const client = new OpenAI({ baseURL: url, apiKey: session.sessionApiKey, fetch: engine.connections.fetch });
    const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      client.chat.completions.create({ model: "tiny", messages });
    const first = await ask([{ role: "user", content: "one" }]);
    const answer = { role: "assistant", content: first.choices[0]?.message.content ?? "" } as const;
    await ask([{ role: "user", content: "one" }, answer, { role: "user", content: "two" }]);
    await session.setLastReward(1);
    const { sessionId } = session;
    const rewards = async (discount?: number) =>
      (await admin.transcript(sessionId, { discount })).interactions.map(({ reward }) => reward);
    expect([await rewards(), await rewards(0.5)]).toEqual([
      [1, 1],
      [0.5, 1],
    ]);
    const lines = Buffer.from(await admin.transcriptLines([sessionId, "none"], { discount: 0.5 })).toString();
    const [own = "", missing = ""] = lines.trimEnd().split("\n");
    expect(own).toContain(sessionId);
    expect(JSON.parse(missing)).toMatchObject({ session_id: "none", error: { code: "session_not_found" } });
    expect(await admin.deleteSession(sessionId)).toBe(true);
    expect(await admin.deleteSession("none")).toBe(false);
    await expect(admin.transcript(sessionId)).rejects.toThrow(ProxyError);
  });
});
