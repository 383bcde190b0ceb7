import { expect, it, onTestFinished } from "vitest";
import { readSample } from "../helpers/metrics-text.js";
import { Proxy } from "../helpers/proxy.js";

/** A cordoned server starts no sessions and keeps those that it has, so that it can be stopped once they are over. */

const USER = [{ role: "user", content: "hello" }];

async function start(): Promise<Proxy> {
  const proxy = await Proxy.start({ workerTag: "one" });
  onTestFinished(() => proxy.close());
  await proxy.post("/grant_capacity", { slots: 5 });
  return proxy;
}

const health = async (proxy: Proxy) => {
  const reply = await proxy.request({ url: "/readyz" }, null);
  const { status, worker } = reply.json<{ status: string; worker: { capacity: number; sessions: number } }>();
  return [reply.status, status, worker.capacity, worker.sessions];
};
const cordon = async (proxy: Proxy, body = {}) => (await proxy.post("/rl/cordon", body)).json();

it("starts no sessions while it is cordoned, and starts them again with its former slots", async () => {
  const proxy = await start();
  const { run_api_key: key } = (await proxy.post("/rl/start_run", {})).json<{ run_api_key: string }>();
  const chat = () => proxy.chat({ id: "", key }, USER, {}, { "x-session-id": "a" });
  expect(await cordon(proxy)).toEqual({ cordoned: true, sessions: 0 });
  const refused = await proxy.post("/rl/start_session", {});
  expect([refused.refusal, refused.error.message]).toEqual([
    "429 no_capacity",
    "The server is cordoned: it starts no new sessions.",
  ]);
  expect((await chat()).refusal).toBe("429 no_capacity");
  expect((await proxy.post("/rl/uncordon", {})).json()).toEqual({ cordoned: false, sessions: 0 });
  expect(await health(proxy)).toEqual([200, "ok", 5, 0]);
  expect([(await proxy.post("/rl/start_session", {})).status, (await chat()).status]).toEqual([200, 200]);
});

it("serves its sessions, and is ready until the last export is acknowledged", async () => {
  const proxy = await start();
  const session = await proxy.session();
  expect(await cordon(proxy)).toEqual({ cordoned: true, sessions: 1 });
  expect(await health(proxy)).toEqual([200, "cordoned", 0, 1]);
  expect((await proxy.chat(session, USER)).status).toBe(200);
  await proxy.end(session);
  expect(await health(proxy)).toEqual([200, "cordoned", 0, 1]);
  const exported = await proxy.post("/export_batch", { session_ids: [session.id], acknowledge: true });
  expect(await cordon(proxy)).toEqual({ cordoned: true, sessions: 1 });
  const id = String(exported.headers["x-rolltape-export-id"]);
  await proxy.request({ method: "DELETE", url: `/export_batch/${id}` });
  expect(await cordon(proxy)).toEqual({ cordoned: true, sessions: 0 });
  expect(await health(proxy)).toEqual([503, "cordoned", 0, 0]);
  expect((await proxy.request({ url: "/livez" }, null)).status).toBe(200);
});

it("has a metric of it", async () => {
  const proxy = await start();
  const read = async () => readSample((await proxy.request({ url: "/metrics" })).raw.toString(), "rolltape_cordoned");
  expect(await read()).toBe(0);
  await cordon(proxy);
  expect(await read()).toBe(1);
});

it("refuses a call that is for another server, or has another key than the admin key", async () => {
  const proxy = await start();
  const refused = await proxy.post("/rl/cordon", { worker: "two" });
  expect([refused.refusal, refused.error.message]).toEqual([
    "400 invalid_value",
    "`worker` must be one, the tag of this server; received two.",
  ]);
  const { key } = await proxy.session();
  expect((await proxy.post("/rl/cordon", {}, key)).refusal).toBe("403 wrong_key_kind");
  expect(await health(proxy)).toEqual([200, "ok", 5, 1]);
  expect(await cordon(proxy, { worker: "one" })).toEqual({ cordoned: true, sessions: 1 });
});
