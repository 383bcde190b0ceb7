import { expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { probeWhileBlocked } from "../helpers/probe-while-blocked.js";
import { ADMIN_KEY } from "../helpers/proxy.js";

async function serve(server: object = {}): Promise<RunningServer> {
  const config = parseConfig({ server: { port: 0, probe_port: 0, shutdown_seconds: 0, ...server } });
  const running = await startServer(config, { adminKey: ADMIN_KEY });
  onTestFinished(async () => void (await running.close()));
  return running;
}

async function get(url: string) {
  const reply = await fetch(url);
  return { status: reply.status, body: (await reply.json()) as unknown };
}

it("answers probes as the main port does, without a key, also while the main thread is blocked", async () => {
  const { url, probeUrl } = await serve({ worker_tag: "one" });
  const health = await get(`${url}/health`);
  expect(health).toMatchObject({ status: 200, body: { status: "ok", worker: { tag: "one" } } });
  for (const path of ["/readyz", "/health"]) {
    await expect.poll(() => get(probeUrl + path)).toEqual(health);
    expect(probeWhileBlocked(probeUrl + path)).toEqual([health]);
  }
  expect(probeWhileBlocked(`${probeUrl}/livez`)).toEqual([{ status: 200, body: { status: "ok" } }]);
});

it("is alive but not ready while the server stops, and closes last", async () => {
  const server = await serve({ shutdown_seconds: 3600 });
  const { url, probeUrl } = server;
  const trainer = new HttpTrainer(url, ADMIN_KEY);
  const id = await trainer.converse("rain", 1, { max_tokens: 4 });
  const closed = server.close();
  await expect.poll(() => get(`${probeUrl}/readyz`)).toMatchObject({ status: 503, body: { status: "draining" } });
  expect(await get(`${probeUrl}/livez`)).toEqual({ status: 200, body: { status: "ok" } });
  await trainer.exportBatch([id]);
  await closed;
  await expect(get(`${probeUrl}/livez`)).rejects.toThrow("fetch failed");
});

it("does not start if the port for probes is taken", async () => {
  const port = Number(new URL((await serve()).probeUrl ?? "").port);
  await expect(serve({ probe_port: port })).rejects.toThrow(/^server\.probe_port cannot be opened: .*EADDRINUSE/);
});

it("closes the port for probes if the server cannot start", async () => {
  const taken = Number(new URL((await serve()).url).port);
  const probe_port = await freePort();
  await expect(serve({ port: taken, probe_port })).rejects.toThrow("EADDRINUSE");
  await expect(get(`http://127.0.0.1:${probe_port}/livez`)).rejects.toThrow("fetch failed");
});

it("has no port for probes by default", async () => {
  expect((await serve({ probe_port: null })).probeUrl).toBeUndefined();
});

/** Returns a port that a server had until now. */
async function freePort(): Promise<number> {
  const server = await serve();
  const { port } = new URL(server.probeUrl ?? "");
  await server.close();
  return Number(port);
}
