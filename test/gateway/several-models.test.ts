import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createVllmEngine } from "../../src/engine/index.js";
import type { NamedEngineOptions } from "../../src/server/named-engines.js";
import { startVllmServer, type VllmServer } from "../helpers/vllm/vllm-server.js";
import { Gateway, startWorker, type WorkerServer } from "./workers.js";

/** Control calls of a gateway whose workers share the servers of two models: the main one, and `critic`. */

let policy: VllmServer;
let critic: VllmServer;
let opponent: VllmServer;
let workers: WorkerServer<ReturnType<typeof createVllmEngine>>[];
let gateway: Gateway;

function open({ url }: VllmServer) {
  const engine = createVllmEngine({ urls: [url], timeoutSeconds: 0, maxInflight: 4 });
  onTestFinished(() => engine.close());
  return engine;
}

function startOn(tag: string) {
  const engines: Omit<NamedEngineOptions, "model">[] = [
    { name: "critic", frozen: false, engine: open(critic) },
    { name: "opponent", frozen: true, engine: open(opponent) },
  ];
  return startWorker(tag, { engine: open(policy), engines });
}

beforeEach(async () => {
  [policy, critic, opponent] = await Promise.all([startVllmServer(), startVllmServer(), startVllmServer()]);
  for (const server of [policy, critic, opponent]) onTestFinished(() => server.close());
  workers = [await startOn("one"), await startOn("two")];
  gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
});

const count = ({ requests }: VllmServer, path: string) => requests.filter((request) => request.path === path).length;

it("loads the weights of one model once, on all workers, and leaves the other models alone", async () => {
  const body = { version: 5, path: "/weights/critic", allow_partial: true, model: "critic" };
  const reply = await gateway.post("/rl/weights", body);
  expect(reply.json()).toMatchObject({ state: "idle", version: 5, servers: [{ url: critic.url, version: 5 }] });
  expect([count(critic, "/collective_rpc"), count(policy, "/pause"), count(opponent, "/pause")]).toEqual([1, 0, 0]);
  for (const { proxy } of workers) {
    const versions = proxy.context.engines?.all.map(({ services }) => services.weightVersion.version);
    expect(versions).toEqual([0, 5, 0]);
  }
  expect((await gateway.get("/rl/weights?model=critic")).json()).toMatchObject({ version: 5 });
  expect((await gateway.get("/rl/weights?model=tiny")).json()).toMatchObject({ version: 0 });
});

it("refuses a model that no worker has, and a frozen one", async () => {
  const body = { version: 5, path: "/weights" };
  expect((await gateway.post("/rl/weights", { ...body, model: "gpt-9" })).refusal).toBe("404 model_not_found");
  expect((await gateway.post("/rl/weights", { ...body, model: "opponent" })).refusal).toBe("400 invalid_value");
  expect((await gateway.post("/rl/weights", body)).refusal).toBe("400 invalid_value");
});

it("sets the version of one model, or of all that are not frozen", async () => {
  await gateway.post("/rl/set_version", { version: 2 });
  await gateway.post("/rl/set_version", { version: 9, model: "critic" });
  for (const { proxy } of workers) {
    const versions = proxy.context.engines?.all.map(({ services }) => services.weightVersion.version);
    expect(versions).toEqual([2, 9, 0]);
  }
  expect(gateway.pool.newestVersion.version).toBe(2);
});

it("pauses the servers of all models that are not frozen, or of the named one, once each", async () => {
  const pauses = () => [policy, critic, opponent].map((server) => count(server, "/pause"));
  expect((await gateway.post("/rl/engine/pause", { model: "critic" })).status).toBe(200);
  expect(pauses()).toEqual([0, 1, 0]);
  await gateway.post("/rl/engine/resume", { model: "critic" });
  expect((await gateway.post("/rl/engine/pause")).status).toBe(200);
  expect(pauses()).toEqual([1, 2, 0]);
  const { workers: seen } = (await gateway.get("/rl/engine")).json<{ workers: { models: object[] }[] }>();
  expect(seen[0]?.models).toMatchObject([{ paused: "abort" }, { paused: "abort" }, { paused: null }]);
});
