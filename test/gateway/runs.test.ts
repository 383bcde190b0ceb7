import { expect, it } from "vitest";
import { readSafetensors } from "../helpers/safetensors.js";
import { Gateway, startWorker, type WorkerServer } from "./workers.js";

/** Run keys through gateways. The key names no worker: a session stays on the worker that started it. */

interface Run {
  readonly run_id: string;
  readonly run_api_key: string;
}

const messages = [{ role: "user", content: "hello" }];

async function start() {
  const workers = [await startWorker("one"), await startWorker("two")];
  const urls = workers.map(({ url }) => url);
  const gateway = await Gateway.start({ urls });
  await gateway.post("/grant_capacity", { slots: 40 });
  const run = (await gateway.post("/rl/start_run", { task_id: "r" })).json<Run>();
  return { workers, urls, gateway, run };
}

const send = (gateway: Gateway, { run_api_key }: Run, name: string | undefined, path: string, body: object = {}) =>
  gateway.send(
    path,
    {
      method: "POST",
      headers: { "content-type": "application/json", ...(name === undefined ? {} : { "x-session-id": name }) },
      body: JSON.stringify(body),
    },
    run_api_key,
  );
const chat = (gateway: Gateway, run: Run, name?: string) =>
  send(gateway, run, name, "/v1/chat/completions", { messages });
const countsOf = (workers: readonly WorkerServer[]) =>
  workers.map(({ proxy }) => [...proxy.context.registry.all()].map(({ interactionCount }) => interactionCount));
const names = Array.from({ length: 16 }, (_, index) => `s-${index}`);

it("spreads the sessions of a run over the workers, and keeps each on its worker, also through another gateway", async () => {
  const { workers, urls, gateway, run } = await start();
  for (const name of names) expect((await chat(gateway, run, name)).refusal).toBe("200");
  const other = await Gateway.start({ urls });
  for (const name of names) expect((await chat(other, run, name)).refusal).toBe("200");
  const counts = countsOf(workers);
  expect(counts.flat()).toEqual(names.map(() => 2));
  for (const sessions of counts) expect(sessions.length).toBeGreaterThan(0);
});

it("returns the worker's tag in `x-rolltape-worker` if the call names its session", async () => {
  const { workers, gateway, run } = await start();
  const tagOf = async (name?: string) => (await chat(gateway, run, name)).headers["x-rolltape-worker"];
  const tags = [await tagOf("a"), await tagOf("a")];
  const [owner] = workers.filter(({ proxy }) => [...proxy.context.registry.all()].length > 0);
  expect(tags).toEqual([owner?.tag, owner?.tag]);
});

it("returns no tag of a worker if the call names no session", async () => {
  const { gateway, run } = await start();
  expect((await chat(gateway, run)).headers["x-rolltape-worker"]).toBeUndefined();
});

it("starts a deleted session again on another worker if its own has no free slot", async () => {
  const { workers, gateway, run } = await start();
  expect((await chat(gateway, run, "a")).refusal).toBe("200");
  const [owner] = workers.filter(({ proxy }) => [...proxy.context.registry.all()].length > 0);
  const { session_id: id } = (await send(gateway, run, "a", "/rl/current_session")).json<{ session_id: string }>();
  await gateway.send(`/rl/sessions/${id}`, { method: "DELETE" });
  owner?.proxy.context.registry.grant(-40);
  await chat(gateway, run, "a");
  expect((await chat(gateway, run, "a")).refusal).toBe("200");
});

it("starts one session for concurrent first calls through two gateways", async () => {
  const { workers, urls, gateway, run } = await start();
  const other = await Gateway.start({ urls });
  const calls = Array.from({ length: 40 }, (_, index) => chat(index % 2 === 0 ? gateway : other, run, "a"));
  expect(new Set((await Promise.all(calls)).map(({ refusal }) => refusal))).toEqual(new Set(["200"]));
  expect(countsOf(workers).flat()).toEqual([40]);
});

it("rewards, ends and exports sessions on both workers", async () => {
  const { gateway, run } = await start();
  for (const name of names) {
    await chat(gateway, run, name);
    expect((await send(gateway, run, name, "/rl/set_reward", { reward: 1 })).status).toBe(200);
  }
  expect((await send(gateway, run, "nobody", "/rl/set_reward", { reward: 1 })).refusal).toBe("404 session_not_found");
  const ended = (await gateway.post("/rl/sessions/end", { run_ids: [run.run_id] })).json<{ sessions: object[] }>();
  expect(ended.sessions).toHaveLength(16);
  const listed = (await gateway.get(`/rl/runs/${run.run_id}/sessions`)).json<{
    sessions: { x_session_id: string }[];
  }>();
  expect(listed.sessions.map(({ x_session_id }) => x_session_id)).toEqual(names);
  const exported = await gateway.post("/export_batch", { run_id: run.run_id });
  const rows = JSON.parse(readSafetensors(exported.raw).metadata["rows"] ?? "") as object[];
  expect(rows).toHaveLength(16);
  const two = await gateway.post("/export_sessions", { run_id: run.run_id, x_session_ids: ["s-3", "s-4"] });
  expect(two.status).toBe(200);
});

it("fails for the sessions of a killed worker only, and starts new sessions on the other", async () => {
  const { workers, gateway, run } = await start();
  for (const name of names) await chat(gateway, run, name);
  const [one, two] = workers as [WorkerServer, WorkerServer];
  const lost = [...one.proxy.context.registry.all()].map(({ xSessionId }) => xSessionId);
  await one.kill();
  for (const name of names) {
    expect((await chat(gateway, run, name)).refusal).toBe(lost.includes(name) ? "503 worker_unavailable" : "200");
  }
  const before = [...two.proxy.context.registry.all()].length;
  for (const name of ["new-1", "new-2", "new-3", "new-4"]) expect((await chat(gateway, run, name)).refusal).toBe("200");
  expect([...two.proxy.context.registry.all()]).toHaveLength(before + 4);
  expect((await gateway.post("/export_batch", { run_id: run.run_id })).refusal).toBe("503 worker_unavailable");
});

it("starts a session on a worker with a free slot, and refuses it if none has one", async () => {
  const workers = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  await gateway.post("/grant_capacity", { slots: 4 });
  const run = (await gateway.post("/rl/start_run")).json<Run>();
  for (const name of names.slice(0, 4)) expect((await chat(gateway, run, name)).refusal).toBe("200");
  const full = await chat(gateway, run, "s-4");
  expect([full.refusal, full.headers["retry-after"]]).toEqual(["429 no_capacity", "1"]);
  expect(countsOf(workers)).toEqual([
    [1, 1],
    [1, 1],
  ]);
});

it("refuses calls without X-Session-ID, with an unknown run key, or for the admin", async () => {
  const { workers, gateway, run } = await start();
  expect((await chat(gateway, run)).refusal).toBe("400 missing_session_id");
  expect((await chat(gateway, run, "a b")).refusal).toBe("400 invalid_value");
  const forged = { ...run, run_api_key: run.run_api_key.replace(/.$/, (last) => (last === "A" ? "E" : "A")) };
  expect((await chat(gateway, forged, "a")).refusal).toBe("401 invalid_api_key");
  expect((await send(gateway, run, "a", "/grant_capacity")).status).toBeGreaterThanOrEqual(401);
  expect((await send(gateway, run, "a", "/rl/start_run")).refusal).toBe("403 wrong_key_kind");
  expect((await gateway.get("/v1/models", run.run_api_key)).status).toBe(200);
  expect(countsOf(workers).flat()).toEqual([]);
});
