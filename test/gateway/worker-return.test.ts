import { connect } from "node:net";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { until } from "../helpers/until.js";
import { type Script, type ScriptedWorker, startScripted } from "./scripted-worker.js";
import { Gateway, readWorkerTag } from "./workers.js";

/** A worker that leaves and comes back with the same tag: a server that restarts on its storage folder. */

const KEY = "sk-one.0123456789abcdef";
const CHAT = "/v1/chat/completions";
const FOREVER = 600_000;

const answer: Script = () => ({ body: { answered: true } });
const start = (port = 0, tag = "one") =>
  startScripted(tag, { [CHAT]: answer, "/rl/sessions/task-one-0": answer, "/rl/start_session": started(tag) }, 9, port);
const started =
  (tag: string): Script =>
  () => ({ body: { session_id: `task-${tag}-1` } });

const startGateway = (sources: { urls?: string[]; folder?: string }, returnMilliseconds = FOREVER) =>
  Gateway.start(sources, 60, undefined, undefined, { returnMilliseconds, unreachableMilliseconds: 500 });

/** Starts a worker and its gateway, and kills the worker. */
async function setUp(returnMilliseconds?: number) {
  const worker = await start();
  const gateway = await startGateway({ urls: [worker.url] }, returnMilliseconds);
  await worker.kill();
  return { gateway, port: worker.port };
}

const waits = (gateway: Gateway, count: number) => until(() => gateway.pool.waiting === count);
const pathsOf = ({ calls }: ScriptedWorker) => calls.map(({ path }) => path);

describe("a call for a worker that was killed", () => {
  it("waits until the worker is back on the same port, and is sent once", async () => {
    const { gateway, port } = await setUp();
    const call = gateway.chat(KEY, "hello");
    await waits(gateway, 1);
    const metrics = await gateway.get("/metrics", null);
    expect(metrics.raw.toString()).toContain("rolltape_gateway_waiting_requests 1");
    const back = await start(port);
    expect((await call).json()).toEqual({ answered: true });
    expect(back.calls).toEqual([{ path: CHAT, body: { messages: [{ role: "user", content: "hello" }] } }]);
    expect(gateway.pool.waiting).toBe(0);
  });

  it("waits until the worker registers another port", async () => {
    const folder = temporaryFolder();
    const worker = await start();
    registerWorker(folder, { url: worker.url, tag: "one" });
    const gateway = await startGateway({ folder });
    await worker.kill();
    const calls = [gateway.chat(KEY, "hello"), gateway.get("/rl/sessions/task-one-0")];
    await waits(gateway, 2);
    const back = await start();
    registerWorker(folder, { url: back.url, tag: "one" });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    expect(pathsOf(back).toSorted()).toEqual(["/rl/sessions/task-one-0", CHAT]);
  });

  it("keeps a body that is larger than all buffers", async () => {
    const { gateway, port } = await setUp();
    const text = "x".repeat(5 << 20);
    const call = gateway.chat(KEY, text);
    await waits(gateway, 1);
    const back = await start(port);
    expect((await call).status).toBe(200);
    expect(back.calls[0]?.body).toEqual({ messages: [{ role: "user", content: text }] });
  });

  it("gets 503 if the worker does not return in time, and later calls get 503 at once", async () => {
    const { gateway, port } = await setUp(700);
    expect((await gateway.chat(KEY, "hello")).refusal).toBe("503 worker_unavailable");
    await until(() => gateway.pool.absentTags.length === 0);
    expect((await gateway.chat(KEY, "hello")).refusal).toBe("503 worker_unavailable");
    expect(gateway.pool.absentTags).toEqual([]);
    // A worker that returns even later is used again.
    await start(port);
    await expect.poll(async () => (await gateway.chat(KEY, "hello")).status).toBe(200);
  });

  it("does not go to another worker that starts at the same address", async () => {
    const { gateway, port } = await setUp();
    const call = gateway.chat(KEY, "hello");
    await waits(gateway, 1);
    const other = await start(port, "two");
    await until(() => gateway.pool.living().some(({ tag }) => tag === "two"));
    expect(gateway.pool.waiting).toBe(1);
    await other.kill();
    await gateway.pool.refresh();
    await start(port);
    expect((await call).status).toBe(200);
    expect(other.calls).toEqual([]);
  });

  it("streams the answer of the worker that is back", async () => {
    const { gateway, port } = await setUp();
    const call = gateway.chat(KEY, "hello", { stream: true });
    await waits(gateway, 1);
    const frames = "data: 1\n\ndata: [DONE]\n\n";
    await startScripted("one", { [CHAT]: () => ({ body: frames }) }, 0, port);
    expect((await call).raw.toString()).toBe(frames);
  });

  it("is not sent if its client disconnected", async () => {
    const { gateway, port } = await setUp();
    const leave = new AbortController();
    const init = { method: "POST", body: "{}", signal: leave.signal };
    const call = gateway.send(CHAT, init, KEY).catch(() => "left");
    await waits(gateway, 1);
    leave.abort();
    expect(await call).toBe("left");
    await waits(gateway, 0);
    const back = await start(port);
    expect((await gateway.get("/rl/sessions/task-one-0")).status).toBe(200);
    expect(pathsOf(back)).toEqual(["/rl/sessions/task-one-0"]);
  });

  it("does not delay new sessions on the other workers", async () => {
    const [one, two] = [await start(), await start(0, "two")];
    const gateway = await startGateway({ urls: [one.url, two.url] });
    await one.kill();
    const call = gateway.chat(KEY, "hello");
    await waits(gateway, 1);
    for (let index = 0; index < 3; index++) {
      const reply = await gateway.post("/rl/start_session");
      expect(readWorkerTag(reply.json<{ session_id: string }>().session_id)).toBe("two");
    }
    await start(one.port);
    expect((await call).status).toBe(200);
  });
});

it("sends a call for a killed worker only once if waiting is turned off", async () => {
  const { gateway } = await setUp(0);
  const upstream = vi.spyOn(Agent.prototype, "request");
  expect((await gateway.chat(KEY, "hello")).refusal).toBe("503 worker_unavailable");
  expect(upstream.mock.calls.filter(([{ path }]) => path === CHAT)).toHaveLength(1);
});

it("waits for a worker whose registration was removed", async () => {
  const folder = temporaryFolder();
  const worker = await start();
  const leave = registerWorker(folder, { url: worker.url, tag: "one" });
  const gateway = await startGateway({ folder });
  leave();
  await worker.kill();
  await gateway.pool.refresh();
  expect(gateway.pool.all()).toEqual([]);
  const call = gateway.chat(KEY, "hello");
  await waits(gateway, 1);
  const back = await start();
  registerWorker(folder, { url: back.url, tag: "one" });
  expect((await call).status).toBe(200);
});

it("does not wait for a worker that never existed", async () => {
  const { gateway } = await setUp();
  expect((await gateway.chat("sk-three.0123456789abcdef", "hello")).refusal).toBe("503 worker_unavailable");
});

describe("a call that was sent when its worker died", () => {
  it("gets 503 and is not sent again, and its repetition waits", async () => {
    const worker = await startScripted("one", { [CHAT]: () => "broken" });
    const gateway = await startGateway({ urls: [worker.url] });
    expect((await gateway.chat(KEY, "hello")).refusal).toBe("503 worker_unavailable");
    expect(pathsOf(worker)).toEqual([CHAT]);
    await worker.kill();
    const again = gateway.chat(KEY, "hello");
    await waits(gateway, 1);
    const back = await start(worker.port);
    expect((await again).status).toBe(200);
    expect(pathsOf(back)).toEqual([CHAT]);
  });
});

it("notices that the client of a waiting large body disconnects", async () => {
  const { gateway } = await setUp();
  const { hostname: host, port } = new URL(gateway.url);
  const socket = connect({ host, port: Number(port) }).on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const bytes = 8 << 20;
  socket.write(
    `POST ${CHAT} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${KEY}\r\ncontent-length: ${bytes}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(bytes - 1));
  await waits(gateway, 1);
  socket.destroy();
  await waits(gateway, 0);
  expect(gateway.pool.absentTags).toEqual(["one"]);
});
