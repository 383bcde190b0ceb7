import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readSample } from "../helpers/metrics-text.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { Gateway, readWorkerTag, startWorker } from "./workers.js";

/** Shards and files in shared memory of sessions on two workers. `whole-batch.test.ts` compares their bytes with one server's. */

/** @param bytes that each worker retains */
async function start(bytes = 1 << 30) {
  const retention = { milliseconds: 60_000, bytes };
  const workers = [await startWorker("one", { retention }), await startWorker("two", { retention })];
  const sharedMemory = sharedDirectory();
  const urls = workers.map(({ url }) => url);
  const gateway = await Gateway.start({ urls }, 60, undefined, undefined, { sharedMemory });
  const ids: string[] = [];
  for (let index = 0; index < 4; index++) ids.push(await gateway.conversation(`topic ${index}`, index));
  expect(new Set(ids.map(readWorkerTag)).size).toBe(2);
  const sessions = workers.flatMap(({ proxy }) => [...proxy.context.registry.all()]);
  return {
    workers,
    gateway,
    ids,
    freed: () => sessions.filter(({ lifecycle }) => lifecycle.freed).length,
    states: () => new Set(sessions.map(({ state }) => state)),
    ask: (options: object) => gateway.post("/export_batch", { session_ids: ids, ...options }),
    acknowledge: async (id: string) => (await gateway.send(`/export_batch/${id}`, { method: "DELETE" })).refusal,
  };
}

interface SharedFile {
  readonly id: string;
  readonly path: string;
  readonly byte_length: number;
}

it("keeps the sessions until each rank has its shard, however few bytes the workers retain", async () => {
  const { ask } = await start(1);
  for (const shard of [1, 1, 0]) expect((await ask({ shards: 2, shard })).refusal).toBe("200");
  expect((await ask({ shards: 2, shard: 1 })).refusal).toBe("410 session_exported");
});

it("frees the sessions when the shards of all ranks are acknowledged", async () => {
  const { ask, acknowledge, freed } = await start();
  const shards = await Promise.all([0, 1].map((shard) => ask({ shards: 2, shard, acknowledge: true })));
  const [first = "", second = ""] = shards.map(({ headers }) => String(headers["x-rolltape-export-id"]));
  expect(await acknowledge(first)).toBe("200");
  expect(freed()).toBe(0);
  expect(await acknowledge(second)).toBe("200");
  expect(freed()).toBe(4);
});

it("counts an export by the gateway, not by its workers", async () => {
  const { gateway, ask } = await start();
  const sizes = await Promise.all([0, 1].map(async (shard) => (await ask({ shards: 2, shard })).raw.length));
  const metrics = (await gateway.get("/metrics")).raw.toString();
  expect(readSample(metrics, "rolltape_export_seconds_count")).toBe(2);
  expect(readSample(metrics, "rolltape_export_bytes_total")).toBe(sizes.reduce((sum, size) => sum + size, 0));
  expect(readSample(metrics, 'rolltape_export_bytes_total{worker="one"}')).toBe(0);
});

it.each([false, true])("lends a file in the gateway's shared memory until it is acknowledged (%s)", async (held) => {
  const { ask, acknowledge, freed } = await start();
  const { id, path, byte_length } = (await ask({ transport: "shm", acknowledge: held })).json<SharedFile>();
  expect(readFileSync(path).length).toBe(byte_length);
  expect(readSafetensors(readFileSync(path)).tensors["rewards"]?.data).toEqual([0, 1, 2, 3]);
  expect(await acknowledge(id)).toBe("200");
  expect(existsSync(path)).toBe(false);
  expect(freed()).toBe(held ? 4 : 0);
  expect(await acknowledge(id)).toBe("404 batch_not_found");
});

it("lends a file of each shard, whose sessions are freed with the last one", async () => {
  const { ask, acknowledge, freed } = await start();
  const answer = await ask({ transport: "shm", shards: 2, acknowledge: true });
  const { shards } = answer.json<{ shards: SharedFile[] }>();
  for (const [index, { id }] of shards.entries()) {
    expect(freed()).toBe(0);
    expect([index, await acknowledge(id)]).toEqual([index, "200"]);
  }
  expect([shards.length, freed()]).toEqual([2, 4]);
});

it("lends a file in its own shared memory also if one worker has all sessions", async () => {
  const { gateway, ids } = await start();
  const own = ids.filter((id) => readWorkerTag(id) === "one");
  const file = (await gateway.post("/export_batch", { session_ids: own, transport: "shm" })).json<SharedFile>();
  const body = await gateway.post("/export_batch", { session_ids: own });
  expect(readFileSync(file.path).equals(body.raw)).toBe(true);
});

it("exports no session if the batch is larger than the shared memory, or than one block", async () => {
  const { ask, states } = await start();
  expect((await ask({ transport: "shm", pad_to_multiple_of: 1 << 20 })).refusal).toBe("422 batch_too_large");
  expect((await ask({ pad_to_multiple_of: 1 << 30 })).refusal).toBe("422 batch_too_large");
  expect(states()).toEqual(new Set(["ended"]));
});
