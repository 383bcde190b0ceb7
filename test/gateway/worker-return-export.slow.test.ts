import { describe, expect, it } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { until } from "../helpers/until.js";
import { takeAway } from "./returning-worker.js";
import { Gateway, readWorkerTag, startWorker, type WorkerServer } from "./workers.js";

/** Rewards, exports and acknowledgements while a worker is absent, until it returns with its sessions. */

async function setUp(returnMilliseconds = 600_000) {
  const folder = temporaryFolder();
  const workers = [await startWorker("one"), await startWorker("two")];
  const [leave = () => {}] = workers.map(({ url, tag }) => registerWorker(folder, { url, tag }));
  const settings = { returnMilliseconds, unreachableMilliseconds: 500 };
  const gateway = await Gateway.start({ folder }, 60, undefined, undefined, settings);
  const sessions = [await gateway.session(), await gateway.session()];
  for (const { key } of sessions) await gateway.chat(key, "hello");
  const [one, two] = workers;
  const own = sessions.find(({ id }) => readWorkerTag(id) === "one");
  if (!one || !two || !own) throw new Error("each worker has a session");
  const waits = (count: number) => until(() => gateway.pool.waiting === count);
  const end = async (reward: number) => {
    for (const { key } of sessions) {
      await gateway.post("/rl/set_reward", { reward }, key);
      await gateway.post("/rl/end_session", {}, key);
    }
  };
  return { folder, leave, one, two, gateway, own, end, waits, session_ids: sessions.map(({ id }) => id) };
}

const freed = ({ proxy }: WorkerServer) => [...proxy.context.registry.all()].map(({ lifecycle }) => lifecycle.freed);
const readRewards = (bytes: Buffer) => readSafetensors(bytes).tensors["rewards"]?.data;

it("continues a session whose worker returned at another address", async () => {
  const { folder, one, gateway, own, waits } = await setUp();
  const comeBack = await takeAway(one);
  const calls = [
    gateway.chat(own.key, "hello again"),
    gateway.post("/rl/set_reward", { reward: 1 }, own.key),
    gateway.get(`/rl/sessions/${own.id}`),
    gateway.post("/export_trajectories", { session_id: own.id, wait_seconds: 20 }),
  ];
  await waits(calls.length);
  registerWorker(folder, { url: await comeBack(0), tag: "one" });
  expect((await Promise.all(calls.slice(0, 3))).map(({ status }) => status)).toEqual([200, 200, 200]);
  await gateway.post("/rl/end_session", {}, own.key);
  expect((await calls[3])?.status).toBe(200);
  const { session_id, interactions } = (await gateway.post("/export_trajectories", { session_id: own.id })).json<{
    session_id: string;
    interactions: object;
  }>();
  expect([session_id, Object.keys(interactions).length]).toEqual([own.id, 2]);
});

it("starts the export of a batch when all its workers have returned", async () => {
  const { one, gateway, end, waits, session_ids } = await setUp();
  await end(0.5);
  const comeBack = await takeAway(one);
  // The gateway learns that the worker left.
  await gateway.pool.refresh();
  await until(() => gateway.pool.absentTags.length === 1);
  const batch = gateway.post("/export_batch", { session_ids });
  await waits(1);
  await comeBack();
  expect(readRewards((await batch).raw)).toEqual([0.5, 0.5]);
});

it("continues an export that waits for sessions when one of its workers leaves and returns", async () => {
  const { one, gateway, end, waits, session_ids } = await setUp();
  const waiting = one.proxy.app.server;
  const arrived = new Promise<void>((resolve) => {
    waiting.on("request", ({ url }: { url: string }) => {
      if (url === "/export_batch/ready") resolve();
    });
  });
  const batch = gateway.post("/export_batch", { session_ids, wait_seconds: 20 });
  await arrived;
  const comeBack = await takeAway(one);
  await waits(1);
  await comeBack();
  await until(() => gateway.pool.absentTags.length === 0);
  await end(0.25);
  expect(readRewards((await batch).raw)).toEqual([0.25, 0.25]);
});

describe("a worker that dies after it has packed its part of a batch", () => {
  /** Exports all sessions. Takes worker `one` away, with its part, when it is told to seal its sessions. */
  async function setUpDying() {
    const setting = await setUp();
    const { one, gateway, end, waits, session_ids } = setting;
    await end(1);
    const { server } = one.proxy.app;
    const left = new Promise<() => Promise<string>>((resolve) => {
      let hasLeft = false;
      server.prependListener("request", ({ url }: { url: string }) => {
        if (!url.endsWith("/settle") || hasLeft) return;
        hasLeft = true;
        one.proxy.context.preparedExports.close();
        void takeAway(one).then(resolve);
      });
    });
    const batch = gateway.post("/export_batch", { session_ids });
    const comeBack = await left;
    await waits(1);
    return { ...setting, batch, comeBack };
  }

  it("seals its sessions when it returns", async () => {
    const { own, one, gateway, batch, comeBack } = await setUpDying();
    await comeBack();
    expect(readRewards((await batch).raw)).toEqual([1, 1]);
    expect(one.proxy.context.registry.get(own.id).state).toBe("exported");
    expect((await gateway.post("/rl/set_reward", { reward: 2 }, own.key)).status).toBe(401);
  });

  it("does not spoil the batch if it returns without its sessions", async () => {
    const { own, one, batch, comeBack } = await setUpDying();
    await one.proxy.context.registry.delete(own.id);
    await comeBack();
    expect(readRewards((await batch).raw)).toEqual([1, 1]);
  });

  it("is asked again if its sessions changed meanwhile", async () => {
    const { own, one, gateway, batch, comeBack, session_ids } = await setUpDying();
    one.proxy.context.registry.get(own.id).setReward(3);
    await comeBack();
    expect((await batch).refusal).toBe("409 batch_not_exportable");
    expect(one.proxy.context.preparedExports.size).toBe(0);
    const again = await gateway.post("/export_batch", { session_ids });
    expect(readRewards(again.raw)?.toSorted()).toEqual([1, 3]);
  });
});

describe("an acknowledgement while a worker is absent", () => {
  /** Exports all sessions, or only those of the worker that stays, and takes the other worker away. */
  async function setUpHeld({ parts, returnMilliseconds }: { parts: "both" | "other"; returnMilliseconds?: number }) {
    const setting = await setUp(returnMilliseconds);
    const { one, gateway, own, end, session_ids } = setting;
    await end(1);
    const id = await gateway.exportHeld(
      parts === "both" ? session_ids : session_ids.filter((other) => other !== own.id),
    );
    const comeBack = await takeAway(one);
    const acknowledge = (name = id) => gateway.send(`/export_batch/${name}`, { method: "DELETE" });
    return { ...setting, id, comeBack, acknowledge };
  }

  it("waits until a worker that has a part of the batch returns", async () => {
    const { one, comeBack, acknowledge, waits } = await setUpHeld({ parts: "both" });
    const refused = await acknowledge();
    expect([refused.refusal, refused.error["unavailable_workers"]]).toEqual(["503 worker_unavailable", ["one"]]);
    const again = acknowledge();
    await waits(1);
    await comeBack();
    expect((await again).status).toBe(200);
    expect(freed(one)).toEqual([true]);
  });

  it("frees the sessions of the other workers while it waits", async () => {
    const { two, gateway, acknowledge, waits, comeBack } = await setUpHeld({ parts: "both" });
    await gateway.pool.refresh();
    await until(() => gateway.pool.absentTags.length === 1);
    const reply = acknowledge();
    await waits(1);
    await until(() => freed(two)[0] === true);
    expect(gateway.pool.waiting).toBe(1);
    await comeBack();
    expect((await reply).status).toBe(200);
  });

  it("does not wait for a worker that has no part of the batch", async () => {
    const { two, gateway, acknowledge } = await setUpHeld({ parts: "other" });
    await gateway.pool.refresh();
    await until(() => gateway.pool.absentTags.length === 1);
    expect((await acknowledge()).status).toBe(200);
    expect([freed(two), gateway.pool.absentTags]).toEqual([[true], ["one"]]);
  });

  it("waits for all absent workers if the id has no tags", async () => {
    const { gateway, acknowledge, waits, comeBack } = await setUpHeld({ parts: "both" });
    await gateway.pool.refresh();
    await until(() => gateway.pool.absentTags.length === 1);
    const reply = acknowledge("batch-of-another-time");
    await waits(1);
    await comeBack();
    expect((await reply).refusal).toBe("404 batch_not_found");
  });

  it("is refused and names the worker if it does not return in time", async () => {
    const { gateway, acknowledge } = await setUpHeld({ parts: "both", returnMilliseconds: 1500 });
    await gateway.pool.refresh();
    await until(() => gateway.pool.absentTags.length === 1);
    const refused = await acknowledge();
    expect([refused.refusal, refused.error["unavailable_workers"]]).toEqual(["503 worker_unavailable", ["one"]]);
  });

  it("succeeds on the other workers if the worker signed off and does not return in time", async () => {
    const { two, gateway, leave, acknowledge } = await setUpHeld({ parts: "both", returnMilliseconds: 1500 });
    leave();
    await gateway.pool.refresh();
    expect(gateway.pool.absentTags).toEqual(["one"]);
    expect((await acknowledge()).status).toBe(200);
    expect(freed(two)).toEqual([true]);
  });
});
