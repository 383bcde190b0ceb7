import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createVllmEngine } from "../../src/engine/index.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { startVllmServer, type VllmServer } from "../helpers/vllm/vllm-server.js";

const USER = { role: "user", content: "hello" };

let server: VllmServer;
let engine: Engine;
let proxy: Proxy<Engine>;
let session: StartedSession;
beforeEach(async () => {
  server = await startVllmServer();
  engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
  proxy = await Proxy.start({ engine });
  session = await proxy.session();
});
afterEach(async () => {
  await proxy.close();
  await engine.close();
  await server.close();
});

const begin = (): Promise<Reply> => proxy.post("/rl/weights", { version: 3, mode: "external", sleep: true });
const finish = (fields: object = { path: "/weights/3", allow_partial: true }): Promise<Reply> =>
  proxy.post("/rl/weights/finish", { version: 3, ...fields });

const CONTROL = [
  "/pause",
  "/sleep",
  "/wake_up",
  "/collective_rpc",
  "/reset_prefix_cache",
  "/update_weight_version",
  "/resume",
];
const controlled = () => server.requests.map(({ path }) => path).filter((path) => CONTROL.includes(path));

describe("an external update with `sleep`", () => {
  it("puts the paused servers to sleep, and wakes them with new weights before calls go on", async () => {
    expect((await begin()).json()).toMatchObject({ state: "external", target_version: 3 });
    expect(server.asleep).toBe(true);
    const call = proxy.chat(session, [USER]);
    expect((await finish()).json()).toMatchObject({ state: "idle", version: 3, error: null });
    expect(server.asleep).toBe(false);
    expect(controlled()).toEqual(CONTROL);
    expect((await call).status).toBe(200);
    await proxy.end(session);
    const { raw } = await proxy.post("/export_batch", { session_ids: [session.id] });
    expect(readSafetensors(raw).tensors["row_max_version"]?.data).toEqual([3]);
  });

  it("cannot be finished without weights", async () => {
    await begin();
    const refused = await finish({});
    expect([refused.refusal, refused.error.param]).toEqual(["400 invalid_value", "path"]);
    expect(server.asleep).toBe(true);
    expect((await finish()).status).toBe(200);
  });

  it("wakes the servers if it is given up", async () => {
    await begin();
    const given = await proxy.request({ method: "DELETE", url: "/rl/weights" });
    expect(given.json()).toMatchObject({ state: "idle", version: 0 });
    expect(server.asleep).toBe(false);
    expect((await proxy.chat(session, [USER])).status).toBe(200);
  });

  it("that cannot load its weights can be finished with others", async () => {
    await begin();
    server.loads.faults.push({ kind: "fail", message: "no such shard" });
    const failed = await finish();
    expect(failed.refusal).toBe("502 weights_failed");
    expect((await finish({ path: "/weights/3b", allow_partial: true })).json()).toMatchObject({
      state: "idle",
      version: 3,
    });
    expect((await proxy.chat(session, [USER])).status).toBe(200);
  });
});

it("refuses `sleep` without `mode: external`, and a path if the servers do not sleep", async () => {
  const refused = await proxy.post("/rl/weights", { version: 3, path: "/weights/3", sleep: true });
  expect([refused.refusal, refused.error.param]).toEqual(["400 invalid_value", "sleep"]);
  await proxy.post("/rl/weights", { version: 3, mode: "external" });
  const awake = await finish();
  expect([awake.refusal, awake.error.param]).toEqual(["400 invalid_value", "path"]);
  expect((await finish({})).status).toBe(200);
});
