import { describe, expect, it, onTestFinished } from "vitest";
import type { WeightsRecord } from "../../src/admin-api/weights/weights-schemas.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { Gateway, startWorker } from "./workers.js";

const PATH = "/weights/step-7";
const LOAD = "/update_weights_from_disk";
const TOKENS = 40;
const POLL_SECONDS = 0.1;

async function startEngineServer(): Promise<SglangServer> {
  const complete = () => Array.from({ length: TOKENS }, (_, index) => 300 + index);
  const server = await startSglangServer({ complete, tokenMilliseconds: 10, weightVersion: "0" });
  onTestFinished(() => server.close());
  return server;
}

async function startOn(
  tag: string,
  url: string,
  { seconds = 0, ...options }: { seconds?: number; storage?: { directory: string }; port?: number } = {},
) {
  const urls = [url];
  const engine: Engine = createSglangEngine({ urls, timeoutSeconds: seconds, maxInflight: 8, healthSeconds: 0 });
  onTestFinished(() => engine.close());
  return startWorker(tag, { engine, ...options });
}

/** Starts a gateway with one worker and one engine server. */
async function startOne(options: { seconds?: number; storage?: { directory: string } } = {}) {
  const server = await startEngineServer();
  const worker = await startOn("one", server.url, options);
  return { server, worker, gateway: await Gateway.start({ urls: [worker.url] }, POLL_SECONDS) };
}

const record = async (gateway: Gateway) => (await gateway.get("/rl/weights")).json<WeightsRecord>();
const message = async (proxy: { get(path: string): Promise<{ json<T>(): T }> }) =>
  (await proxy.get("/health")).json<{ message?: string }>().message;
const begin = (gateway: Gateway) => gateway.post("/rl/weights", { version: 7, mode: "external" });
const load = (gateway: Gateway) => gateway.post("/rl/weights", { version: 7, path: PATH, wait_seconds: 0 });

describe("an external update that nobody finishes", () => {
  it("is named as the reason by health, the record and failed calls", async () => {
    const { gateway, worker } = await startOne({ seconds: 2 });
    expect(await message(gateway)).toBeUndefined();
    await begin(gateway);
    const { key } = await gateway.session();
    const call = await gateway.chat(key, "hello");
    expect(call.refusal).toBe("504 engine_timeout");
    expect(call.error.message).toContain("It is paused: `GET /rl/weights` and `GET /rl/engine` tell why.");
    const expected =
      /A weight update to version 7 \(external\) holds model calls; .* `DELETE \/rl\/weights` to give up/;
    expect(await message(gateway)).toMatch(expected);
    const health = (await worker.proxy.request({ url: "/health" })).json<{ status: string; message: string }>();
    expect(health).toMatchObject({ status: "ok", message: expect.stringContaining("(by a gateway)") as string });
    expect(await record(gateway)).toMatchObject({ state: "external", target_version: 7 });
    expect((await gateway.send("/rl/weights", { method: "DELETE" })).json()).toMatchObject({
      state: "idle",
      version: 0,
    });
    expect((await gateway.chat(key, "hello")).status).toBe(200);
    expect(await message(gateway)).toBeUndefined();
  });
});

describe("calls that a weight update holds", () => {
  it("are answered afterwards, streamed or with several choices, each token with the version that made it", async () => {
    const { gateway, server, worker } = await startOne();
    const sessions = [await gateway.session(), await gateway.session(), await gateway.session()];
    const open = server.loads.hold();
    const messages = [{ role: "user", content: "hello" }];
    const chat = (index: number, fields: object) =>
      gateway.post("/v1/chat/completions", { model: "m", messages, ...fields }, sessions[index]?.key ?? "");
    const cut = [chat(0, { stream: true }), chat(1, { n: 3 })];
    const { scheduler } = server;
    await expect.poll(() => [scheduler.pending, scheduler.pendingWithoutToken], { interval: 2 }).toEqual([4, 0]);
    await load(gateway);
    await expect.poll(() => server.to(LOAD).length).toBe(1);
    const queued = chat(2, {});
    await expect.poll(() => [...worker.proxy.context.registry.all()].map(({ calls }) => calls.size)).toEqual([1, 3, 1]);
    open();
    expect((await Promise.all([...cut, queued])).map(({ status }) => status)).toEqual([200, 200, 200]);
    const exported = sessions.map(async ({ id, key }) => {
      await gateway.post("/rl/end_session", {}, key);
      const reply = await gateway.post("/export_trajectories", { session_id: id, style: "individual" });
      return Object.values(reply.json<WireExport>().interactions).map((each) => {
        const output = numbers(each, "versions").filter((version) => version >= 0);
        return [...new Set(output)];
      });
    });
    expect(await Promise.all(exported)).toEqual([
      [[0, 7]],
      [
        [0, 7],
        [0, 7],
        [0, 7],
      ],
      [[7]],
    ]);
  });

  it("leave nothing behind if their client leaves", async () => {
    const { gateway, worker } = await startOne();
    const { key } = await gateway.session();
    await begin(gateway);
    const leaving = new AbortController();
    const left = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      signal: leaving.signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] }),
    });
    const inFlight = () => [...worker.proxy.context.registry.all()].map(({ calls }) => calls.size);
    await expect.poll(inFlight).toEqual([1]);
    leaving.abort();
    await expect(left).rejects.toThrow("aborted");
    await expect.poll(inFlight).toEqual([0]);
    expect((await gateway.post("/rl/weights/finish", { version: 7 })).status).toBe(200);
    expect(worker.proxy.engine.servers?.list().map(({ requests }) => requests)).toEqual([0]);
    expect((await gateway.chat(key, "hello")).status).toBe(200);
  });
});

describe("the only worker of an engine server", () => {
  it.each([
    ["repeated", 7],
    ["replaced", 8],
  ])("may die and come back in the middle: then the update is %s", async (_, version) => {
    const storage = { directory: temporaryFolder() };
    const { gateway, server, worker } = await startOne({ storage });
    const { key } = await gateway.session();
    const open = server.loads.hold();
    await load(gateway);
    await expect.poll(() => server.to(LOAD).length).toBe(1);
    const port = Number(new URL(worker.url).port);
    await worker.kill();
    // Only the gateway can report this.
    await expect.poll(async () => (await record(gateway)).state).toBe("failed");
    expect((await record(gateway)).error).toContain("No worker of");
    const again = await startOn("one", server.url, { storage, port });
    expect(again.proxy.engine.servers?.paused).toBe("abort");
    open();
    const update = async () => (await gateway.post("/rl/weights", { version, path: PATH })).refusal;
    await expect.poll(update, { timeout: 30_000, interval: 200 }).toBe("200");
    expect((await again.proxy.request({ url: "/rl/weights" })).json()).toMatchObject({ state: "idle", version });
    expect((await gateway.chat(key, "hello")).status).toBe(200);
  });
});
