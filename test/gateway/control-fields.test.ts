import { describe, expect, it } from "vitest";
import { AREAL_BODIES, AREAL_EMPTY } from "../helpers/areal-bodies.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { Gateway, readWorkerTag, startWorker, type WorkerServer } from "./workers.js";

interface Started {
  readonly gateway: Gateway;
  readonly workers: readonly WorkerServer[];
}

async function started({ strict = true } = {}): Promise<Started> {
  const settings = { strictControlFields: strict };
  const workers = [await startWorker("one", { settings }), await startWorker("two", { settings })];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) }, 60, 1 << 26, strict);
  return { gateway, workers };
}

/** Every call with a body, with a misspelled field: calls that the gateway handles, and calls that it forwards. */
async function typos({ gateway }: Started) {
  const ids = [await gateway.conversation("a", 1), await gateway.conversation("b", 2)];
  const [first = "", second = ""] = ids;
  expect(readWorkerTag(first)).not.toBe(readWorkerTag(second));
  const { key } = await gateway.session();
  await gateway.chat(key, "hello");
  return [
    ["/grant_capacity", { slot: 4 }, "slot"],
    ["/rl/start_session", { group: "g" }, "group"],
    ["/rl/set_version", { version: 3, verison: 4 }, "verison"],
    ["/rl/set_reward", { reward: 1, interation_id: "chatcmpl-1" }, "interation_id", key],
    ["/rl/end_session", { force: true }, "force", key],
    ["/rl/engine/pause", { mod: "keep" }, "mod"],
    ["/export_trajectories", { session_id: first, discont: 0.9 }, "discont"],
    ["/export_trajectories", { sesion_id: first }, "sesion_id"],
    ["/export_batch", { session_ids: [first], discont: 0.9 }, "discont"],
    ["/export_batch", { session_ids: ids, discont: 0.9 }, "discont"],
  ] as const;
}

describe("an unknown field that is sent to a gateway", () => {
  it("returns the same 400 as a server, and no session is exported", async () => {
    const all = await started();
    for (const [path, body, param, key] of await typos(all)) {
      const reply = await all.gateway.post(path, body, key);
      expect([path, reply.refusal, reply.error.param]).toEqual([path, "400 unknown_parameter", param]);
      const worker = all.workers.find(({ tag }) => key === undefined || key.startsWith(`sk-${tag}.`));
      expect((await worker?.proxy.post(path, body, key))?.json()).toEqual(reply.json());
    }
    const { sessions } = (await all.gateway.get("/rl/sessions")).json<{ sessions: { state: string }[] }>();
    expect(sessions.map(({ state }) => state)).toEqual(["ended", "ended", "active"]);
    expect(all.workers.map(({ proxy }) => proxy.context.weightVersion.version)).toEqual([0, 0]);
    expect((await all.gateway.post("/grant_capacity")).json()).toEqual({ capacity: 1 });
  });

  it("is ignored if gateway and workers have server.strict_control_fields: false", async () => {
    const all = await started({ strict: false });
    for (const [path, body, , key] of await typos(all)) {
      expect([path, (await all.gateway.post(path, body, key)).refusal]).not.toEqual([path, "400 unknown_parameter"]);
    }
    expect(all.workers.map(({ proxy }) => proxy.context.weightVersion.version)).toEqual([3, 3]);
  });
});

describe("a batch over several workers", () => {
  it("accepts every field that one server accepts", async () => {
    const { gateway } = await started();
    const session_ids = [await gateway.conversation("a", 1), await gateway.conversation("b", 2)];
    const body = { transport: "body", shards: 1, shard: 0, lease_seconds: 5, reader_pid: 1, drain_seconds: 1 };
    const fields = { ...body, max_length: 10_000, drop_retry_orphans: true, discount: 0.5, wait_seconds: null };
    for (const ids of [session_ids, session_ids.slice(1)]) {
      const reply = await gateway.post("/export_batch", { session_ids: ids, ...fields });
      expect([ids.length, reply.status]).toEqual([ids.length, 200]);
      expect(readSafetensors(reply.raw).metadata["discount"]).toBe("0.5");
    }
  });

  it("refuses a shard that one server would refuse", async () => {
    const { gateway } = await started();
    const session_ids = [await gateway.conversation("a"), await gateway.conversation("b")];
    const reply = await gateway.post("/export_batch", { session_ids, shard: 1 });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "shard"]);
  });
});

describe("AReaL's client, through a gateway", () => {
  it.each(AREAL_BODIES)("(%s) can send every body that it sends to AReaL's server", async (_, bodies) => {
    const { gateway } = await started();
    await gateway.post("/grant_capacity");
    const session = await gateway.post("/rl/start_session", bodies.start);
    const { session_id: id, api_key: key } = session.json<{ session_id: string; api_key: string }>();
    const chat = await gateway.chat(key, "hello");
    const rewards = [bodies.reward, bodies.rewardOf(chat.json<{ id: string }>().id)];
    const set = [];
    for (const reward of rewards) set.push((await gateway.post("/rl/set_reward", reward, key)).status);
    const ended = await gateway.post("/rl/end_session", {}, key);
    const exported = await gateway.post("/export_trajectories", bodies.exported(id));
    expect([session.status, ...set, ended.status, exported.status]).toEqual([200, 200, 200, 200, 200]);
    expect(Object.values(exported.json<{ interactions: object }>().interactions)).toMatchObject([{ own_reward: 1 }]);
  });

  it("may send no body, an empty body and null", async () => {
    const { gateway } = await started();
    const { key } = await gateway.session();
    for (const init of AREAL_EMPTY) {
      const granted = await gateway.send("/grant_capacity", { method: "POST", ...init });
      const ended = await gateway.send("/rl/end_session", { method: "POST", ...init }, key);
      expect([init, granted.status, ended.status]).toEqual([init, 200, 200]);
    }
  });
});
