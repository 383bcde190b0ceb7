import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { Gateway, startWorker, type WorkerServer } from "./workers.js";

interface MergedServer {
  readonly url: string;
  readonly state: string;
  readonly requests: number;
  readonly completed: number;
  readonly workers: readonly { readonly tag: string; readonly url: string; readonly state: string }[];
}

interface MergedEngine {
  readonly type: string;
  readonly paused: string | null;
  readonly servers: readonly MergedServer[];
  readonly workers: readonly { readonly tag: string; readonly paused: string | null }[];
  readonly unavailable_workers?: readonly string[];
}

async function startEngineServer(): Promise<SglangServer> {
  const server = await startSglangServer();
  onTestFinished(() => server.close());
  return server;
}

async function startOn(tag: string, urls: readonly string[]): Promise<WorkerServer<Engine>> {
  const engine: Engine = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 4 });
  onTestFinished(() => engine.close());
  return startWorker(tag, { engine });
}

/** Starts two workers and three engine servers. Each worker has one server of its own, and they share the second server. */
async function startFleet() {
  const servers = await Promise.all([startEngineServer(), startEngineServer(), startEngineServer()]);
  const [own, shared, other] = servers.map(({ url }) => url) as [string, string, string];
  const workers = [await startOn("one", [own, shared]), await startOn("two", [shared, other])] as const;
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  return { servers, urls: [own, shared, other] as const, workers, gateway };
}

const PAUSE = "/pause_generation";
const RESUME = "/continue_generation";

const told = (servers: readonly SglangServer[], path: string) => servers.map((server) => server.to(path).length);
const listPaused = (workers: readonly WorkerServer<Engine>[]) =>
  workers.map(({ proxy }) => proxy.engine.servers?.paused ?? null);
const record = async (gateway: Gateway) => (await gateway.get("/rl/engine")).json<MergedEngine>();
const find = ({ servers }: MergedEngine, url: string) => servers.find((server) => server.url === url);

describe("GET /rl/engine of a gateway", () => {
  it("lists each engine server once, with the sums of its counts and the workers that use it", async () => {
    const { urls, workers, gateway } = await startFleet();
    for (let n = 0; n < 6; n++) await gateway.conversation(`call ${n}`);
    const merged = await record(gateway);
    expect(merged.servers.map(({ url }) => url)).toEqual([...urls]);
    const sums = urls.map((url) =>
      workers
        .flatMap(({ proxy }) => proxy.engine.servers?.list() ?? [])
        .reduce((sum, server) => sum + (server.url === url ? server.counts.completed : 0), 0),
    );
    expect(merged.servers.map(({ completed }) => completed)).toEqual(sums);
    expect(sums.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(merged.servers.map((server) => server.workers.map(({ tag }) => tag))).toEqual([
      ["one"],
      ["one", "two"],
      ["two"],
    ]);
    expect(merged).toMatchObject({
      type: "sglang",
      paused: null,
      workers: [
        { tag: "one", type: "sglang", paused: null, version_labels: {} },
        { tag: "two", type: "sglang", paused: null, version_labels: {} },
      ],
    });
  });

  it("treats localhost and 127.0.0.1 as one server", async () => {
    const server = await startEngineServer();
    const { port } = new URL(server.url);
    const workers = [await startOn("one", [server.url]), await startOn("two", [`http://localhost:${port}/`])];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const { servers } = await record(gateway);
    expect(servers).toHaveLength(1);
    expect(servers[0]?.workers.map(({ url }) => url)).toEqual([server.url, `http://localhost:${port}/`]);
  });

  it("requires the admin key", async () => {
    const { gateway } = await startFleet();
    expect((await gateway.get("/rl/engine", "sk-nobody-knows-this")).refusal).toBe("401 invalid_api_key");
    expect((await gateway.post("/rl/engine/pause", {}, "sk-nobody-knows-this")).refusal).toBe("401 invalid_api_key");
  });

  it("names the workers that do not answer", async () => {
    const { workers, gateway } = await startFleet();
    await workers[1].kill();
    expect(await record(gateway)).toMatchObject({ workers: [{ tag: "one" }], unavailable_workers: ["two"] });
  });
});

describe("POST /rl/engine/pause and resume through a gateway", () => {
  it("call each engine server once and hold the model calls of every worker", async () => {
    const { servers, workers, gateway } = await startFleet();
    const paused = await gateway.post("/rl/engine/pause", { mode: "keep" });
    expect(paused.json()).toMatchObject({ paused: "keep" });
    expect(told(servers, PAUSE)).toEqual([1, 1, 1]);
    expect(servers.flatMap((server) => server.to(PAUSE).map(({ json }) => json["mode"]))).toEqual(
      Array(3).fill("in_place"),
    );
    expect(listPaused(workers)).toEqual(["keep", "keep"]);
    const sessions = [await gateway.session(), await gateway.session()];
    const held = sessions.map(({ key }) => gateway.chat(key, "hello"));
    await expect.poll(async () => (await gateway.get("/metrics", null)).raw.toString()).toMatch(/paused\{.*\} 1/);
    expect(told(servers, "/generate")).toEqual([0, 0, 0]);
    expect((await gateway.post("/rl/engine/resume")).json()).toMatchObject({ paused: null });
    expect(told(servers, RESUME)).toEqual([1, 1, 1]);
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("leave nothing paused if one worker's engine server cannot be paused, and name both", async () => {
    const { servers, urls, workers, gateway } = await startFleet();
    await servers[2].close();
    const reply = await gateway.post("/rl/engine/pause");
    expect(reply.refusal).toBe("502 engine_unavailable");
    expect(reply.error.message).toContain("Worker two");
    expect(reply.error.message).toContain(urls[2]);
    expect(reply.error["worker"]).toBe("two");
    expect(listPaused(workers)).toEqual([null, null]);
    for (const server of servers.slice(0, 2)) {
      expect(server.to(RESUME).length).toBeGreaterThanOrEqual(server.to(PAUSE).length);
    }
  });

  it("leave nothing paused if a worker's engine has no servers", async () => {
    const server = await startEngineServer();
    const served = await startOn("one", [server.url]);
    const embedded = await startWorker("two");
    const gateway = await Gateway.start({ urls: [served.url, embedded.url] });
    const reply = await gateway.post("/rl/engine/pause");
    expect(reply.refusal).toBe("409 no_engine_servers");
    expect(reply.error["worker"]).toBe("two");
    expect(listPaused([served])).toEqual([null]);
    expect(server.to(PAUSE)).toHaveLength(0);
  });

  it("name a worker that does not answer, and leave the others running", async () => {
    const { workers, gateway } = await startFleet();
    await workers[1].kill();
    const reply = await gateway.post("/rl/engine/pause");
    expect(reply.refusal).toBe("503 worker_unavailable");
    expect(reply.error.message).toContain("Worker two");
    expect(workers[0].proxy.engine.servers?.paused).toBeUndefined();
  });

  it("leave out a worker that was down already, and say so", async () => {
    const { servers, workers, gateway } = await startFleet();
    await workers[1].kill();
    await gateway.pool.refresh();
    const paused = await gateway.post("/rl/engine/pause");
    expect(paused.json()).toMatchObject({ paused: "abort", unavailable_workers: ["two"] });
    expect(told(servers, PAUSE)).toEqual([1, 1, 0]);
  });

  it("resume a shared server through another worker if the one that paused it has died", async () => {
    const { servers, workers, gateway } = await startFleet();
    await gateway.post("/rl/engine/pause");
    await workers[0].kill();
    await gateway.pool.refresh();
    // A pause continues a server first, which may be paused in place.
    expect(told(servers, RESUME).slice(1)).toEqual([1, 1]);
    expect((await gateway.post("/rl/engine/resume")).json()).toMatchObject({ paused: null });
    expect(told(servers, RESUME).slice(1)).toEqual([2, 2]);
    expect(workers[1].proxy.engine.servers?.paused).toBeUndefined();
  });

  it("resume all other workers if one server cannot be resumed, and name its worker", async () => {
    const { servers, urls, workers, gateway } = await startFleet();
    await gateway.post("/rl/engine/pause");
    await servers[0].close();
    const reply = await gateway.post("/rl/engine/resume");
    expect(reply.refusal).toBe("502 engine_unavailable");
    expect(reply.error.message).toContain(urls[0]);
    expect(reply.error["worker"]).toBe("one");
    for (const server of servers.slice(1)) expect(server.to(RESUME)).not.toHaveLength(0);
    expect(listPaused(workers)).toEqual([null, null]);
  });

  it("include a worker that joins while the others are paused", async () => {
    const folder = temporaryFolder();
    const server = await startEngineServer();
    const first = await startOn("one", [server.url]);
    registerWorker(folder, { url: first.url, tag: "one" });
    const gateway = await Gateway.start({ folder });
    const late = await startOn("two", [server.url]);
    first.proxy.app.server.prependListener("request", ({ url }) => {
      if (url === "/rl/engine/pause") registerWorker(folder, { url: late.url, tag: "two" });
    });
    await gateway.post("/rl/engine/pause");
    expect(listPaused([first, late])).toEqual(["abort", "abort"]);
    expect(server.to(PAUSE)).toHaveLength(1);
  });

  it("run one after the other", async () => {
    const { workers, gateway } = await startFleet();
    const replies = await Promise.all([gateway.post("/rl/engine/pause"), gateway.post("/rl/engine/resume")]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(listPaused(workers)).size).toBe(1);
  });

  it("refuse the field `servers`, which only gateways send to workers", async () => {
    const { gateway } = await startFleet();
    expect((await gateway.post("/rl/engine/pause", { servers: [] })).refusal).toBe("400 unknown_parameter");
    expect((await gateway.post("/rl/engine/pause", { mode: "retract" })).refusal).toBe("400 invalid_value");
  });

  it("return worker_unavailable without workers", async () => {
    const gateway = await Gateway.start({});
    for (const path of ["/pause", "/resume"]) {
      expect((await gateway.post(`/rl/engine${path}`)).refusal).toBe("503 worker_unavailable");
    }
  });
});

describe("POST /rl/engine/drain and restore through a gateway", () => {
  it("reach every worker that uses the server, and no other", async () => {
    const { urls, gateway } = await startFleet();
    const drained = await gateway.post("/rl/engine/drain", { url: urls[1] });
    expect(drained.json()).toMatchObject({
      url: urls[1],
      state: "draining",
      requests: 0,
      workers: [
        { tag: "one", state: "draining" },
        { tag: "two", state: "draining" },
      ],
    });
    expect((await record(gateway)).servers.map(({ state }) => state)).toEqual(["up", "draining", "up"]);
    const restored = await gateway.post("/rl/engine/restore", { url: urls[1] });
    expect(restored.json()).toMatchObject({ state: "up" });
    expect((await record(gateway)).servers.map(({ state }) => state)).toEqual(["up", "up", "up"]);
  });

  it("wait until no worker has a request on the server", async () => {
    const server = await startEngineServer();
    const workers = [await startOn("one", [server.url]), await startOn("two", [server.url])];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    server.scheduler.pause("in_place");
    const sessions = [await gateway.session(), await gateway.session()];
    const running = sessions.map(({ key }) => gateway.chat(key, "hello"));
    await expect.poll(() => server.to("/generate").length).toBe(2);
    const short = await gateway.post("/rl/engine/drain", { url: server.url, wait_seconds: 0.05 });
    expect(short.json<MergedServer>().requests).toBe(2);
    const waiting = gateway.post("/rl/engine/drain", { url: server.url, wait_seconds: 60 });
    server.scheduler.continue();
    expect((await waiting).json<MergedServer>().requests).toBe(0);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("are undone on the others if one worker fails", async () => {
    const { urls, workers, gateway } = await startFleet();
    workers[1].proxy.app.server.prependListener("request", ({ url }, response) => {
      if (url === "/rl/engine/drain") response.destroy();
    });
    const reply = await gateway.post("/rl/engine/drain", { url: urls[1] });
    expect(reply.refusal).toBe("503 worker_unavailable");
    expect(reply.error["worker"]).toBe("two");
    const states = workers[0].proxy.engine.servers?.list().map(({ state }) => state);
    expect(states).toEqual(["up", "up"]);
  });

  it("list the known servers if the url is unknown", async () => {
    const { urls, gateway } = await startFleet();
    for (const path of ["/drain", "/restore"]) {
      const reply = await gateway.post(`/rl/engine${path}`, { url: "http://nowhere:1" });
      expect([reply.refusal, reply.error.param]).toEqual(["404 engine_server_not_found", "url"]);
      for (const url of urls) expect(reply.error.message).toContain(url);
    }
  });

  it("do not find a server whose only worker is down", async () => {
    const { urls, workers, gateway } = await startFleet();
    await workers[1].kill();
    await gateway.pool.refresh();
    expect(find(await record(gateway), urls[2])).toBeUndefined();
    expect((await gateway.post("/rl/engine/drain", { url: urls[2] })).refusal).toBe("404 engine_server_not_found");
  });
});

it("answers within seconds if a worker takes the call and never answers", async () => {
  let heard = false;
  const silent = createServer((request, reply) => {
    if (heard || request.url !== "/health") return;
    heard = true;
    reply.end(JSON.stringify({ status: "ok", worker: { tag: "two", capacity: 0, sessions: 0 } }));
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const server = await startEngineServer();
  const worker = await startOn("one", [server.url]);
  const { port } = silent.address() as AddressInfo;
  const gateway = await Gateway.start({ urls: [worker.url, `http://127.0.0.1:${port}`] });
  const reply = await gateway.post("/rl/engine/pause");
  expect([reply.refusal, reply.error["worker"]]).toEqual(["503 worker_unavailable", "two"]);
  expect(server.to(PAUSE)).toHaveLength(0);
}, 20_000);
