import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { placeShards } from "../../src/gateway/export/place-shard.js";
import { ADMIN_KEY, type Reply } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { until } from "../helpers/until.js";
import { Gateway, readWorkerTag, startWorker } from "./workers.js";

/** Shards that the workers of their sessions pack (`shard_by: workers`), through a gateway. */

const TAGS = ["four", "one", "three", "two"];

interface SharedFile {
  readonly id: string;
  readonly path: string;
  readonly byte_length: number;
}

/** Four workers with two sessions each. Each group has sessions of all workers. */
async function start({ retention = { milliseconds: 60_000, bytes: 1 << 30 }, grouped = true } = {}) {
  const folder = sharedDirectory();
  const sharedMemory = { directory: folder, maxBytes: 64 << 20 };
  const workers = await Promise.all(TAGS.map((tag) => startWorker(tag, { retention, settings: { sharedMemory } })));
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) }, 60, undefined, undefined, {
    sharedMemory: folder,
  });
  const ids: string[] = [];
  for (let index = 0; index < 8; index++) {
    const { id, key } = await gateway.session(grouped ? { group_id: `group ${index >> 2}` } : {});
    await gateway.chat(key, `topic ${index}`);
    await gateway.chat(key, `another topic ${index}`);
    await gateway.post("/rl/set_reward", { reward: index * 1.5 }, key);
    await gateway.post("/rl/end_session", {}, key);
    ids.push(id);
  }
  for (const tag of TAGS) expect(ids.filter((id) => readWorkerTag(id) === tag)).toHaveLength(2);
  const sessions = workers.flatMap(({ proxy }) => [...proxy.context.registry.all()]);
  const ask = (options: object) => gateway.post("/export_batch", { session_ids: ids, shard_by: "workers", ...options });
  return {
    workers,
    gateway,
    ids,
    machine: workers[0]?.proxy.context.sharedMemory.machine ?? "",
    idsOf: (shard: number) => ids.filter((id) => readWorkerTag(id) === TAGS[shard]),
    ask,
    askAll: (options: object = {}) =>
      Promise.all(TAGS.map((_, shard) => ask({ shards: TAGS.length, shard, ...options }))),
    freed: () => sessions.filter(({ lifecycle }) => lifecycle.freed).length,
    states: () => new Set(sessions.map(({ state }) => state)),
    acknowledge: async (id: string) => (await gateway.send(`/export_batch/${id}`, { method: "DELETE" })).refusal,
  };
}

const toBatch = ({ raw }: Reply) => readSafetensors(raw);
const rowsOf = ({ metadata }: ReturnType<typeof readSafetensors>) =>
  JSON.parse(metadata["rows"] ?? "") as { session_id: string; interaction_id: string; length: number }[];

/** Returns the values of a tensor of the packed layout by row. */
function byRow(batch: ReturnType<typeof readSafetensors>, name: string): Record<string, unknown> {
  const starts = batch.tensors["cu_seqlens"]?.data as number[];
  const values = batch.tensors[name]?.data ?? [];
  const isPerRow = values.length === starts.length - 1;
  return Object.fromEntries(
    rowsOf(batch).map(({ interaction_id }, row) => [
      interaction_id,
      isPerRow ? values[row] : values.slice(starts[row], starts[row + 1]),
    ]),
  );
}

/** Returns the episodes of a batch by session, without their numbers. */
function episodesOf(batch: ReturnType<typeof readSafetensors>): Record<string, unknown> {
  const names = JSON.parse(batch.metadata["episodes"] ?? "") as { session_id: string; group_id: string }[];
  const columns = ["episode_reward", "episode_return", "episode_has_reward", "episode_rows"];
  return Object.fromEntries(
    names.map(({ session_id, group_id }, index) => [
      session_id,
      [group_id, ...columns.map((name) => batch.tensors[name]?.data[index])],
    ]),
  );
}

it("sends each rank the rows of one worker, with the values of one batch of all sessions", async () => {
  const { ask, askAll, gateway, ids, idsOf } = await start();
  const options = { layout: "packed", discount: 0.5 };
  const shards = (await askAll(options)).map(toBatch);
  const whole = toBatch(await gateway.post("/export_batch", { session_ids: ids, ...options }));
  for (const [index, shard] of shards.entries()) {
    expect(new Set(rowsOf(shard).map(({ session_id }) => session_id))).toEqual(new Set(idsOf(index)));
    expect([shard.metadata["shard"], shard.metadata["shards"]]).toEqual([String(index), "4"]);
    // All groups reach into each worker, so each shard has all episodes, in the order of the request.
    expect(Object.entries(episodesOf(shard))).toEqual(Object.entries(episodesOf(whole)));
    expect(shard.tensors["episode_group"]?.data).toEqual(whole.tensors["episode_group"]?.data);
  }
  for (const name of ["input_ids", "loss_mask", "logprobs", "versions", "rewards", "row_episode", "row_session_rows"]) {
    expect(Object.assign({}, ...shards.map((shard) => byRow(shard, name)))).toEqual(byRow(whole, name));
  }
  expect((await ask({ shards: 4, shard: 2, ...options })).refusal).toBe("200");
});

it("sends the bytes of the worker's own export if no group lies on several workers", async () => {
  const { askAll, workers, idsOf } = await start({ grouped: false });
  const options = { style: "concat", on_mismatch: "split", turns: true };
  const shards = await askAll(options);
  for (const [shard, { raw }] of shards.entries()) {
    const body = { session_ids: idsOf(shard), ...options };
    const alone = await workers[shard]?.proxy.post("/export_batch", body);
    expect(toBatch({ raw } as Reply).tensors).toEqual(readSafetensors(alone?.raw ?? Buffer.alloc(0)).tensors);
    const { shard: _, shards: __, ...metadata } = readSafetensors(raw).metadata;
    expect(metadata).toEqual(readSafetensors(alone?.raw ?? Buffer.alloc(0)).metadata);
  }
});

it("splits the sessions of a worker among several ranks", async () => {
  const { ask, idsOf } = await start();
  const shards = await Promise.all(Array.from({ length: 8 }, (_, shard) => ask({ shards: 8, shard })));
  const owners = shards.map((reply) => [...new Set(rowsOf(toBatch(reply)).map(({ session_id }) => session_id))]);
  TAGS.forEach((_, worker) => {
    const own = owners.slice(2 * worker, 2 * worker + 2);
    expect(own.map((sessions) => sessions.length)).toEqual([1, 1]);
    expect(new Set(own.flat())).toEqual(new Set(idsOf(worker)));
  });
});

it("keeps the sessions until each rank has its shard, and exports each session once", async () => {
  const { ask, freed } = await start({ retention: { milliseconds: 60_000, bytes: 1 } });
  for (const shard of [1, 3, 3, 0]) {
    expect((await ask({ shards: 4, shard })).refusal).toBe("200");
    expect(freed()).toBe(0);
  }
  expect((await ask({ shards: 4, shard: 2 })).refusal).toBe("200");
  expect(freed()).toBe(8);
  expect((await ask({ shards: 4, shard: 2 })).refusal).toBe("410 session_exported");
});

it("makes all rewards final with the first shard", async () => {
  const { gateway, ask, ids } = await start();
  const { id, key } = await gateway.session({ group_id: "group 0" });
  await gateway.chat(key, "late");
  await gateway.post("/rl/end_session", {}, key);
  const elsewhere = TAGS.findIndex((tag) => tag !== readWorkerTag(id));
  expect((await ask({ session_ids: [...ids, id], shards: 4, shard: elsewhere })).refusal).toBe("200");
  expect((await gateway.post("/rl/set_reward", { reward: 9 }, key)).refusal).toMatch(/^4/);
});

it("frees the sessions when the shards of all ranks are acknowledged", async () => {
  const { askAll, acknowledge, freed } = await start();
  const ids = (await askAll({ acknowledge: true })).map(({ headers }) => String(headers["x-rolltape-export-id"]));
  for (const id of ids) {
    expect(freed()).toBe(0);
    expect(await acknowledge(id)).toBe("200");
  }
  expect(freed()).toBe(8);
});

it.each([false, true])("lets a rank on the worker's machine map the worker's file (%s)", async (held) => {
  const { askAll, ask, acknowledge, machine, freed } = await start();
  const answers = await askAll({ transport: "shm", reader_hosts: [machine], acknowledge: held });
  const files = answers.map((answer) => answer.json<SharedFile>());
  const bodies = await Promise.all(files.map((_, shard) => ask({ shards: 4, shard, acknowledge: held })));
  for (const [shard, { path, byte_length }] of files.entries()) {
    expect(readFileSync(path).equals(bodies[shard]?.raw ?? Buffer.alloc(0))).toBe(true);
    expect(statSync(path).size).toBe(byte_length);
  }
  for (const { id } of files) expect(await acknowledge(id)).toBe("200");
  expect(files.filter(({ path }) => existsSync(path))).toEqual([]);
  expect(freed()).toBe(held ? 8 : 0);
});

it("streams the shard to a rank on another machine, or if the machine is not known", async () => {
  const { ask, gateway, ids, workers } = await start();
  const body = await ask({ shards: 4, shard: 1 });
  const elsewhere = { shards: 4, shard: 1, transport: "shm", reader_pid: 0x7fffffff };
  for (const streamed of [await ask(elsewhere), await ask({ ...elsewhere, reader_hosts: ["another machine"] })]) {
    expect(streamed.headers["content-type"]).toBe("application/vnd.safetensors");
    expect(streamed.raw.equals(body.raw)).toBe(true);
  }
  // A single server and a batch of the gateway do the same.
  const tokens = { session_ids: ids, transport: "shm", reader_hosts: ["another machine"], shards: 4, shard: 0 };
  expect((await gateway.post("/export_batch", tokens)).headers["content-type"]).toBe("application/vnd.safetensors");
  const own = { ...tokens, session_ids: ids.filter((id) => readWorkerTag(id) === TAGS[0]) };
  expect((await workers[0]?.proxy.post("/export_batch", own))?.headers["content-type"]).toBe(
    "application/vnd.safetensors",
  );
});

it("exports no session if a worker is gone", async () => {
  const { ask, workers, states } = await start();
  const [, dying] = workers;
  await dying?.kill();
  expect((await ask({ shards: 4, shard: 0 })).refusal).toBe("503 worker_unavailable");
  expect(states()).toEqual(new Set(["ended"]));
});

it("exports no session if another worker dies before it tells its rewards", async () => {
  const { ask, workers } = await start();
  const [, dying, ...others] = workers;
  dying?.proxy.app.server.prependListener("request", ({ url }) => {
    if (url === "/export_batch/prepare_shard") void dying.kill();
  });
  const refused = await ask({ shards: 4, shard: 0 });
  expect([refused.refusal, refused.error.message]).toEqual([
    "503 worker_unavailable",
    expect.stringMatching(/^2 sessions cannot be exported, so none was\. First: Worker one of session/),
  ]);
  for (const { proxy } of others) {
    expect(proxy.context.preparedExports.size).toBe(0);
    expect([...proxy.context.registry.all()].map(({ state }) => state)).toEqual(["ended", "ended"]);
  }
});

it("exports no session if the worker of a shard dies while it packs", async () => {
  const { ask, workers } = await start();
  const [packing, ...others] = workers;
  packing?.proxy.app.server.prependListener("request", ({ url }) => {
    if (url === "/export_batch/prepare_shard") void packing.kill();
  });
  expect((await ask({ shards: 4, shard: 0 })).status).toBeGreaterThanOrEqual(400);
  for (const { proxy } of others) {
    expect(proxy.context.preparedExports.size).toBe(0);
    expect([...proxy.context.registry.all()].map(({ state }) => state)).toEqual(["ended", "ended"]);
  }
});

it("cuts the body if the worker of a shard dies while it is sent, and the other workers can export again", async () => {
  const { gateway, ids, workers } = await start();
  const [sending, ...others] = workers;
  // More than the buffers of the connections hold.
  const body = {
    session_ids: ids,
    shard_by: "workers",
    shards: 4,
    shard: 0,
    acknowledge: true,
    pad_to_multiple_of: 1 << 20,
  };
  const headers = { "content-type": "application/json", authorization: `Bearer ${ADMIN_KEY}` };
  const answer = await fetch(`${gateway.url}/export_batch`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  for (const { proxy } of others) expect(proxy.context.exportLeases.size).toBe(1);
  await sending?.kill();
  await expect(answer.arrayBuffer()).rejects.toThrow("terminated");
  for (const { proxy } of others) {
    await until(() => proxy.context.exportLeases.size === 0);
    expect([...proxy.context.registry.all()].map(({ state }) => state)).toEqual(["ended", "ended"]);
  }
});

it("exports no session of the other workers if one does not settle", async () => {
  const { ask, workers } = await start();
  const [, refusing, ...others] = workers;
  // As after a minute: the worker has dropped its part.
  const drop = ({ url = "" }: { url?: string }) => {
    if (url.endsWith("/settle")) refusing?.proxy.context.preparedExports.close();
  };
  refusing?.proxy.app.server.prependListener("request", drop);
  expect((await ask({ shards: 4, shard: 0, acknowledge: true })).refusal).toBe("409 batch_not_exportable");
  for (const { proxy } of others) {
    expect(proxy.context.exportLeases.size).toBe(0);
    expect([...proxy.context.registry.all()].map(({ state }) => state)).toEqual(["ended", "ended"]);
  }
  refusing?.proxy.app.server.removeListener("request", drop);
  expect((await ask({ shards: 4, shard: 0, acknowledge: true })).refusal).toBe("200");
});

it("refuses a number of shards that the workers cannot share equally", async () => {
  const { ask, states } = await start();
  const refused = await ask({ shards: 3, shard: 0 });
  expect(refused.refusal).toBe("400 invalid_value");
  expect(refused.json()).toMatchObject({ error: { param: "shards", workers: 4 } });
  expect((await ask({ shards: 4 })).json()).toMatchObject({ error: { param: "shard" } });
  const hosts = { shards: 4, shard: 0, transport: "shm", reader_hosts: ["a", "b"] };
  expect((await ask(hosts)).json()).toMatchObject({ error: { param: "reader_hosts" } });
  const few = await ask({ shards: 20, shard: 0, layout: "tree" });
  expect([few.refusal, few.json()]).toMatchObject(["422 too_few_rows", { error: { param: "shards", max_shards: 16 } }]);
  expect(states()).toEqual(new Set(["ended"]));
});

it("gives readers shards of workers on their own machines first", () => {
  const places = placeShards(["x", "y"], 4, ["y", "z", "x", "y"]);
  expect(places.map(({ worker, shard }) => [worker, shard])).toEqual([
    [1, 0],
    [0, 1],
    [0, 0],
    [1, 1],
  ]);
  expect(placeShards(["x", undefined], 2).map(({ worker }) => worker)).toEqual([0, 1]);
});
