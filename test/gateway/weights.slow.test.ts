import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WeightsRecord } from "../../src/admin-api/weights/weights-schemas.js";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { LocalEngine } from "../helpers/local-engine.js";
import type { Reply } from "../helpers/proxy.js";
import { type SglangServer, type SglangServerOptions, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { readTinyTensors, writeSafetensors } from "../helpers/tiny-checkpoint.js";
import { Gateway, startWorker, type WorkerServer } from "./workers.js";

const PATH = "/weights/step-7";
const LOAD = "/update_weights_from_disk";

/** SGLang before 0.5.21, whose generations an update cuts. */
const CUTTING: SglangServerOptions = { serverInfo: { version: "0.5.20" } };

async function startEngineServer(options = CUTTING): Promise<SglangServer> {
  const server = await startSglangServer(options);
  onTestFinished(() => server.close());
  return server;
}

async function startOn(tag: string, urls: readonly string[]): Promise<WorkerServer<Engine>> {
  const engine: Engine = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 4, healthSeconds: 0 });
  onTestFinished(() => engine.close());
  return startWorker(tag, { engine });
}

/** Starts two workers and three engine servers. Each worker has one server of its own, and they share the second server. */
async function startFleet(options?: SglangServerOptions) {
  const start = () => startEngineServer(options);
  const servers = await Promise.all([start(), start(), start()]);
  const [own, shared, other] = servers.map(({ url }) => url) as [string, string, string];
  const workers = [await startOn("one", [own, shared]), await startOn("two", [shared, other])] as const;
  const sources = { urls: workers.map(({ url }) => url) };
  return { servers, urls: [own, shared, other] as const, workers, sources, gateway: await Gateway.start(sources) };
}

const update = (gateway: Gateway, body: object = {}) =>
  gateway.post("/rl/weights", { version: 7, path: PATH, ...body });
const giveUp = (gateway: Gateway) => gateway.send("/rl/weights", { method: "DELETE" });
const record = async (gateway: Gateway) => (await gateway.get("/rl/weights")).json<WeightsRecord>();
const states = ({ servers }: WeightsRecord) => servers.map(({ state, version }) => [state, version]);
const failedRecord = (reply: Reply) => reply.error["weights"] as WeightsRecord;
const told = (servers: readonly SglangServer[], path: string) => servers.map((server) => server.to(path).length);
const heldBy = (workers: readonly WorkerServer<Engine>[]) =>
  workers.map(({ proxy }) => proxy.engine.servers?.paused ?? null);
const versions = (workers: readonly WorkerServer<Engine>[]) =>
  workers.map(({ proxy }) => proxy.context.weightVersion.version);

describe("POST /rl/weights through a gateway", () => {
  it("pauses and loads each engine server once, and sets the version on every worker", async () => {
    const { servers, urls, workers, gateway } = await startFleet();
    const reply = await update(gateway);
    expect(reply.json()).toMatchObject({
      state: "idle",
      version: 7,
      error: null,
      servers: urls.map((url) => ({ url, version: 7, state: "loaded" })),
    });
    for (const path of ["/pause_generation", LOAD, "/flush_cache"]) {
      expect(told(servers, path)).toEqual([1, 1, 1]);
    }
    expect(servers.map(({ scheduler }) => scheduler.paused)).toEqual([false, false, false]);
    expect([versions(workers), heldBy(workers)]).toEqual([
      [7, 7],
      [null, null],
    ]);
    expect((await record(gateway)).servers.map(({ version }) => version)).toEqual([7, 7, 7]);
    expect((await gateway.get("/metrics")).raw.toString()).toContain(
      'rolltape_gateway_weight_updates_total{outcome="succeeded"} 1',
    );
    expect((await update(gateway)).status).toBe(200);
    expect(told(servers, LOAD)).toEqual([1, 1, 1]);
  });

  it("has one worker compare the weights with the model, and refuses incomplete ones before anything is paused", async () => {
    const { servers, workers, gateway } = await startFleet();
    const folder = temporaryFolder();
    const tensors = readTinyTensors(2);
    await writeSafetensors(join(folder, "model.safetensors"), tensors.slice(1));
    const reply = await update(gateway, { path: folder });
    expect(reply.refusal).toBe("422 weights_incomplete");
    expect(reply.error.message).toContain(`${tensors[0]?.name}: is missing`);
    expect([told(servers, "/pause_generation"), heldBy(workers)]).toEqual([
      [0, 0, 0],
      [null, null],
    ]);
    expect((await update(gateway, { path: folder, allow_partial: true })).json()).toMatchObject({ checked: false });
    await writeSafetensors(join(folder, "model.safetensors"), tensors);
    expect((await update(gateway, { version: 8, path: folder })).json()).toMatchObject({ version: 8, checked: true });
    expect((await update(gateway, { version: 9 })).json<WeightsRecord>().not_checked).toContain("does not exist");
  });

  it("holds the calls of every worker until all servers have the weights", async () => {
    const { servers, workers, gateway } = await startFleet();
    const open = servers[2].loads.hold();
    expect((await update(gateway, { wait_seconds: 0.01 })).status).toBe(202);
    await expect
      .poll(async () => states(await record(gateway)))
      .toEqual([
        ["loaded", 7],
        ["loaded", 7],
        ["loading", 0],
      ]);
    const sessions = [await gateway.session(), await gateway.session()];
    const held = sessions.map(({ key }) => gateway.chat(key, "hello"));
    expect(heldBy(workers)).toEqual(["abort", "abort"]);
    expect((await gateway.post("/rl/engine/resume")).refusal).toBe("409 weights_busy");
    expect((await gateway.post("/rl/set_version", { version: 9 })).refusal).toBe("409 weights_busy");
    expect((await update(gateway, { version: 8 })).refusal).toBe("409 weights_busy");
    // The workers' own calls are refused as well.
    expect((await workers[0].proxy.post("/rl/weights", { version: 8, path: PATH })).refusal).toBe("409 weights_busy");
    expect((await workers[0].proxy.post("/rl/engine/resume", {})).refusal).toBe("409 weights_busy");
    expect((await workers[0].proxy.request({ url: "/rl/weights" })).json()).toMatchObject({
      state: "loading",
      target_version: 7,
    });
    open();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await record(gateway)).toMatchObject({ state: "idle", version: 7 });
    expect(servers.map(({ scheduler }) => scheduler.staleHits)).toEqual([0, 0, 0]);
  });

  it("moves the generations of all workers from a server that is left out", async () => {
    const complete = () => Array.from({ length: 40 }, (_, index) => 300 + index);
    const retracting = { serverInfo: { version: "0.5.23" }, weightVersionSpans: true, weightVersion: "0" };
    const { servers, urls, gateway } = await startFleet({ ...retracting, complete, tokenMilliseconds: 200 });
    const sessions = await Promise.all(Array.from({ length: 12 }, () => gateway.session()));
    const running = sessions.map(({ key }) => gateway.chat(key, "hello"));
    await expect.poll(() => servers[1]?.scheduler.pendingTokens).toBeGreaterThan(1);
    servers[1]?.loads.faults.push({ kind: "fail", message: "no such tensor" });
    expect((await update(gateway)).refusal).toBe("502 weights_failed");
    expect(servers[1]?.scheduler.pending).toBeGreaterThan(0);
    for (const { scheduler } of servers) scheduler.tokenMilliseconds = 0;
    expect((await update(gateway, { exclude: [urls[1]] })).status).toBe(200);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
    await expect.poll(() => servers[1]?.scheduler.pending).toBe(0);
  });

  it("keeps everything paused if a server fails; it can be left out and included again", async () => {
    const { servers, urls, workers, gateway } = await startFleet();
    servers[1].loads.faults.push({ kind: "fail", message: "no such tensor" });
    const reply = await update(gateway);
    expect(reply.refusal).toBe("502 weights_failed");
    expect(reply.error.message).toContain(`${urls[1]}: The engine answered HTTP 400: no such tensor`);
    expect(states(failedRecord(reply))).toEqual([
      ["loaded", 7],
      ["failed", null],
      ["loaded", 7],
    ]);
    expect([heldBy(workers), versions(workers)]).toEqual([
      ["abort", "abort"],
      [0, 0],
    ]);
    const without = await update(gateway, { exclude: [urls[1].replace("127.0.0.1", "localhost")] });
    // The gateway knows the server only by the address that its workers use.
    expect(without.refusal).toBe("400 invalid_value");
    expect(states((await update(gateway, { exclude: [urls[1]] })).json())).toEqual([
      ["loaded", 7],
      ["excluded", null],
      ["loaded", 7],
    ]);
    expect(workers.map(({ proxy }) => proxy.engine.servers?.list().map(({ state }) => state))).toEqual([
      ["up", "draining"],
      ["draining", "up"],
    ]);
    expect((await gateway.post("/rl/engine/restore", { url: urls[1] })).refusal).toBe("409 engine_server_outdated");
    expect(states((await update(gateway)).json())).toEqual([
      ["loaded", 7],
      ["loaded", 7],
      ["loaded", 7],
    ]);
    expect(told(servers, LOAD)).toEqual([1, 2, 1]);
    expect(workers.map(({ proxy }) => proxy.engine.servers?.list().map(({ state }) => state))).toEqual([
      ["up", "up"],
      ["up", "up"],
    ]);
  });

  it("loads through another worker if a worker dies, and tells the others the version", async () => {
    const { servers, workers, gateway } = await startFleet();
    const open = servers[1].loads.hold();
    await update(gateway, { wait_seconds: 0 });
    await expect.poll(() => told(servers, LOAD)).toEqual([1, 1, 1]);
    await workers[0].kill();
    // Worker one told the shared server. Worker two tells it again.
    await expect.poll(() => told(servers, LOAD)).toEqual([1, 2, 1]);
    open();
    await expect.poll(async () => (await record(gateway)).state).toBe("failed");
    const { servers: listed, error } = await record(gateway);
    expect(listed.map(({ state }) => state)).toEqual(["failed", "loaded", "loaded"]);
    expect(error).toContain("No worker of");
    const reply = await update(gateway, { exclude: [listed[0]?.url] });
    expect([reply.refusal, versions([workers[1]]), heldBy([workers[1]])]).toEqual(["200", [7], [null]]);
  });

  it("makes a worker that joins during the update hold its calls", async () => {
    const folder = temporaryFolder();
    const server = await startEngineServer();
    const first = await startOn("one", [server.url]);
    registerWorker(folder, { url: first.url, tag: "one" });
    const gateway = await Gateway.start({ folder });
    const open = server.loads.hold();
    await update(gateway, { wait_seconds: 0 });
    await expect.poll(() => told([server], LOAD)).toEqual([1]);
    const late = await startOn("two", [server.url]);
    registerWorker(folder, { url: late.url, tag: "two" });
    await expect.poll(() => heldBy([late]), { timeout: 5000 }).toEqual(["abort"]);
    open();
    await expect.poll(async () => (await record(gateway)).state).toBe("idle");
    expect([versions([first, late]), heldBy([first, late])]).toEqual([
      [7, 7],
      [null, null],
    ]);
  });

  it("is known to a gateway that was restarted, which can repeat it or give it up", async () => {
    const { servers, workers, sources, gateway } = await startFleet();
    servers[2].loads.faults.push({ kind: "fail", message: "no such tensor" });
    await update(gateway);
    const next = await Gateway.start(sources);
    const found = await record(next);
    expect(found).toMatchObject({ state: "failed", version: 0, target_version: 7, path: PATH });
    expect(found.error).toContain("The gateway was restarted during the weight update to version 7");
    expect(found.servers.map(({ version }) => version)).toEqual([7, 7, null]);
    expect((await next.post("/rl/engine/resume")).refusal).toBe("409 weights_busy");
    expect((await update(next)).json()).toMatchObject({ state: "idle", version: 7 });
    expect(told(servers, LOAD)).toEqual([1, 1, 2]);
    expect([versions(workers), heldBy(workers)]).toEqual([
      [7, 7],
      [null, null],
    ]);
  });

  it("is given up: the servers with the new version go on, the others are drained", async () => {
    const { servers, workers, gateway } = await startFleet();
    servers[2].loads.faults.push({ kind: "fail", message: "no such tensor" });
    await update(gateway);
    const reply = await giveUp(gateway);
    expect(reply.json()).toMatchObject({ state: "idle", version: 7 });
    expect(states(reply.json())).toEqual([
      ["loaded", 7],
      ["loaded", 7],
      ["excluded", null],
    ]);
    expect(versions(workers)).toEqual([7, 7]);
    expect(workers[1].proxy.engine.servers?.list().map(({ state }) => state)).toEqual(["up", "draining"]);
    expect(heldBy(workers)).toEqual([null, null]);
  });

  it("changes nothing if a worker does not answer at the beginning", async () => {
    const { servers, workers, gateway } = await startFleet();
    await workers[1].kill();
    const reply = await update(gateway);
    expect(reply.refusal).toBe("502 weights_failed");
    expect(reply.error.message).toContain("Worker two did not answer. No engine server was changed.");
    expect([told(servers, "/pause_generation"), heldBy([workers[0]])]).toEqual([[0, 0, 0], [null]]);
    // The gateway knows now that the worker is down.
    const again = await update(gateway);
    expect([again.refusal, told(servers, LOAD)]).toEqual(["200", [1, 1, 0]]);
  });

  it("is split for a trainer that pushes its tensors", async () => {
    const { servers, workers, gateway } = await startFleet();
    const begun = await gateway.post("/rl/weights", { version: 7, mode: "external" });
    expect(begun.json()).toMatchObject({ state: "external", target_version: 7 });
    expect(servers.map(({ scheduler }) => scheduler.paused)).toEqual([true, true, true]);
    for (const { scheduler } of servers) scheduler.load("pushed");
    const done = await gateway.post("/rl/weights/finish", { version: 7 });
    expect(done.json()).toMatchObject({ state: "idle", version: 7 });
    expect([told(servers, "/flush_cache"), told(servers, LOAD)]).toEqual([
      [1, 1, 1],
      [0, 0, 0],
    ]);
    expect([versions(workers), heldBy(workers)]).toEqual([
      [7, 7],
      [null, null],
    ]);
  });

  it("loads the engine of each worker that has its own", async () => {
    const engines = [new LocalEngine(), new LocalEngine().preparing()] as const;
    const workers = [
      await startWorker("one", { engine: engines[0] }),
      await startWorker("two", { engine: engines[1] }),
    ];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const reply = await update(gateway);
    expect(reply.json<WeightsRecord>().servers).toMatchObject([
      { url: "embedded/one", version: 7, state: "loaded" },
      { url: "embedded/two", version: 7, state: "loaded" },
    ]);
    expect(engines.map(({ steps }) => steps)).toEqual([
      ["pause", `load ${PATH}`, "resume"],
      [`prepare ${PATH}`, "pause", "apply", "resume"],
    ]);
    expect(workers.map(({ proxy }) => proxy.context.weightVersion.version)).toEqual([7, 7]);
  });

  it("requires the admin key, also while an update is in progress", async () => {
    const { gateway } = await startFleet();
    await gateway.post("/rl/weights", { version: 7, mode: "external" });
    for (const method of ["GET", "DELETE"]) {
      const reply = await gateway.send("/rl/weights", { method }, "sk-nobody-knows-this");
      expect(reply.refusal).toBe("401 invalid_api_key");
    }
    await giveUp(gateway);
  });

  it("returns worker_unavailable without workers", async () => {
    const gateway = await Gateway.start({});
    expect((await update(gateway)).refusal).toBe("503 worker_unavailable");
    expect((await gateway.get("/rl/weights")).refusal).toBe("503 worker_unavailable");
  });
});
