import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import { readSample } from "../helpers/metrics-text.js";
import { ADMIN_KEY, type Proxy, type ProxyOptions, type StartedSession } from "../helpers/proxy.js";
import { type RawCall, RawClient } from "../helpers/raw-client.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";
import { connectionLimits } from "./connection-limits.js";

/** A client that stops reading its answers loses its connection, and gets no more answers than it may have calls in flight. */

const messages = [{ role: "user", content: "hello" }];
const chat = (extra: object = {}): RawCall => ({
  path: "/v1/chat/completions",
  body: { model: "tiny", messages, ...extra },
});

const SHORT: ProxyOptions<ScriptedEngine> = {
  settings: { connections: connectionLimits({ sendTimeoutMilliseconds: 50 }) },
};

const ONE_CALL = { tokens: 1e9, calls: 1e9, bytes: 1e9, concurrentCalls: 1 };

/** More bytes than the operating system buffers for a client that does not read. */
const FULL = 32 * 1024 * 1024;

/** Opens a connection that takes no more bytes until its client reads. */
async function openFull({ proxy, url }: ListeningProxy<ScriptedEngine>, session: StartedSession): Promise<RawClient> {
  const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
  const client = new RawClient(new URL(url), session);
  const [served] = await accepted;
  served.write(Buffer.alloc(FULL));
  return client;
}

const countCut = async (proxy: Proxy) =>
  readSample(
    (await proxy.request({ url: "/metrics" })).raw.toString(),
    'rolltape_closed_connections_total{reason="send_timeout"}',
  );

describe("a client that stops reading", () => {
  it.each([
    ["an answer", {}],
    ["a stream", { stream: true }],
  ])("%s loses its connection, and the call counts as undelivered", async (_, extra) => {
    const server = await listeningProxy(SHORT);
    const { proxy } = server;
    expect(await countCut(proxy)).toBe(0);
    const started = await proxy.session();
    const client = await openFull(server, started);
    client.send(chat(extra));
    const session = proxy.context.registry.get(started.id);
    await until(() => session.leftOut.reasonOf(0) === "undelivered");
    await until(() => proxy.app.connections.size === 0);
    expect(await countCut(proxy)).toBe(1);
  });

  it("loses its connection even if it goes on sending requests", async () => {
    const server = await listeningProxy(SHORT);
    const { proxy } = server;
    const started = await proxy.session();
    const client = await openFull(server, started);
    client.send(chat());
    const sending = setInterval(() => client.send(chat()), 10);
    client.socket.once("close", () => clearInterval(sending));
    await until(() => proxy.context.registry.get(started.id).leftOut.reasonOf(0) === "undelivered");
    await until(() => proxy.app.connections.size === 0);
    expect(await countCut(proxy)).toBe(1);
  });

  it("loses its connection to the control API, and an export that it did not acknowledge is kept", async () => {
    const server = await listeningProxy(SHORT);
    const { proxy } = server;
    const started = await proxy.session();
    await proxy.chat(started, messages);
    await proxy.end(started);
    const body = { session_ids: [started.id], acknowledge: true };
    const client = await openFull(server, { id: "", key: ADMIN_KEY });
    client.send({ path: "/export_batch", body });
    await expect.poll(() => countCut(proxy)).toBe(1);
    await until(() => proxy.app.connections.size === 0);
    const again = await proxy.post("/export_batch", body);
    expect(again.status).toBe(200);
    const acknowledged = {
      method: "DELETE",
      url: `/export_batch/${String(again.headers["x-rolltape-export-id"])}`,
    } as const;
    expect((await proxy.request(acknowledged)).status).toBe(200);
  });

  it("keeps its connection while the engine works on its call", async () => {
    const server = await listeningProxy(SHORT);
    const { proxy, url } = server;
    const started = await proxy.session();
    const release = proxy.engine.hold();
    const client = new RawClient(new URL(url), started);
    client.send(chat());
    await until(() => proxy.engine.calls.length === 1);
    const other = await openFull(server, started);
    proxy.engine.pass();
    other.send(chat());
    await expect.poll(() => countCut(proxy)).toBe(1);
    client.read();
    release();
    await until(() => client.received.includes('"finish_reason":"stop"'));
    expect(await countCut(proxy)).toBe(1);
  });
});

describe("an answer that was not read", () => {
  it.each([
    ["whole", {}],
    ["streamed", { stream: true }],
  ])("counts as a call in flight until it is read (%s)", async (_, extra) => {
    const server = await listeningProxy({
      settings: { sessionLimits: ONE_CALL },
    });
    const { proxy } = server;
    const started = await proxy.session();
    const client = await openFull(server, started);
    client.send(chat(extra));
    await until(() => proxy.context.registry.get(started.id).interactionCount === 1);
    const refused = await proxy.chat(started, messages);
    expect(refused.refusal).toBe("429 too_many_calls");
    expect(refused.error.message).toContain("its answer was read");
    client.read();
    await until(() => client.received.includes('"finish_reason":"stop"'));
    await until(() => proxy.context.registry.get(started.id).calls.size === 0);
    expect((await proxy.chat(started, messages)).status).toBe(200);
  });

  it("counts for the memory of the store until its client disconnects", async () => {
    const server = await listeningProxy();
    const { proxy } = server;
    proxy.engine.replies.push({ ids: Array.from({ length: 10_000 }, () => 300) });
    const started = await proxy.session();
    const client = await openFull(server, started);
    client.send(chat({ logprobs: true }));
    const { store, registry } = proxy.context;
    const rest = () => store.bytes - registry.bytes - proxy.context.conversations.bytes;
    await until(() => registry.get(started.id).interactionCount === 1);
    await until(() => rest() > 8 * 10_000);
    client.leave();
    await expect.poll(rest).toBe(0);
  });

  it("does not count against the next request of its connection once it was sent", async () => {
    const { proxy, url } = await listeningProxy({
      settings: { sessionLimits: ONE_CALL },
    });
    const client = new RawClient(new URL(url), await proxy.session());
    client.read();
    for (let i = 1; i <= 3; i++) {
      client.send(chat());
      await until(() => client.received.split('"finish_reason"').length === i + 1);
    }
    expect(client.received.match(/HTTP\/1.1 \d+/g)).toEqual(Array.from({ length: 3 }, () => "HTTP/1.1 200"));
  });

  it("of a stored response counts as a call in flight, too", async () => {
    const server = await listeningProxy({
      settings: { sessionLimits: ONE_CALL },
    });
    const { proxy } = server;
    const started = await proxy.session();
    const { id } = (await proxy.post("/v1/responses", { model: "tiny", input: "hello" }, started.key)).json<{
      id: string;
    }>();
    const client = await openFull(server, started);
    client.socket.write(`GET /v1/responses/${id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${started.key}\r\n\r\n`);
    await until(() => proxy.app.connections.openAnswers === 1);
    await expect.poll(async () => (await proxy.chat(started, messages)).refusal).toBe("429 too_many_calls");
    client.read();
    await expect.poll(async () => (await proxy.chat(started, messages)).refusal).toBe("200");
  });
});
