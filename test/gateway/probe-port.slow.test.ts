import { expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { startGateway } from "../../src/gateway/start.js";
import { probeWhileBlocked } from "../helpers/probe-while-blocked.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
import { until } from "../helpers/until.js";
import { startWorker } from "./workers.js";

async function start(workers: readonly string[]) {
  const config = parseConfig({
    server: { port: 0, probe_port: 0, shutdown_seconds: 3600 },
    gateway: { workers },
  });
  const gateway = await startGateway(config, { adminKey: ADMIN_KEY });
  onTestFinished(async () => void (await gateway.close()));
  return { gateway, url: gateway.url, probeUrl: gateway.probeUrl ?? "" };
}

async function get(url: string) {
  const reply = await fetch(url);
  return { status: reply.status, body: (await reply.json()) as unknown };
}

it("answers probes as the main port does, also while the main thread is blocked", async () => {
  const worker = await startWorker("one");
  const { url, probeUrl } = await start([worker.url]);
  const health = await get(`${url}/health`);
  expect(health).toMatchObject({ status: 200, body: { status: "ok", workers: [{ tag: "one" }] } });
  await expect.poll(() => get(`${probeUrl}/readyz`)).toEqual(health);
  expect(probeWhileBlocked(`${probeUrl}/readyz`)).toEqual([health]);
  expect(probeWhileBlocked(`${probeUrl}/livez`)).toEqual([{ status: 200, body: { status: "ok" } }]);
  await worker.kill();
  await expect.poll(() => get(`${probeUrl}/readyz`)).toMatchObject({ status: 503, body: { status: "no_workers" } });
});

it("is alive but not ready while the gateway stops, and closes last", async () => {
  const worker = await startWorker("one");
  const { gateway, url, probeUrl } = await start([worker.url]);
  const session = await worker.proxy.session();
  const release = worker.proxy.engine.hold();
  const client = new RawClient(new URL(url), session);
  client.read();
  client.send({ path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "hello" }] } });
  await until(() => worker.proxy.engine.calls.length === 1);
  const closed = gateway.close();
  const draining = { status: 503, body: { status: "draining", workers: [{ tag: "one" }] } };
  await expect.poll(() => get(`${probeUrl}/readyz`)).toMatchObject(draining);
  expect(await get(`${probeUrl}/livez`)).toEqual({ status: 200, body: { status: "ok" } });
  release();
  expect(await closed).toEqual([]);
  client.leave();
  await expect(get(`${probeUrl}/livez`)).rejects.toThrow("fetch failed");
});
