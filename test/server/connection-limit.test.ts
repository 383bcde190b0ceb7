import { describe, expect, it } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import type { StartedSession } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";
import { connectionLimits } from "./connection-limits.js";

/** A client without a key that opens as many connections as it can does not disturb clients with a key. */

const MAX = 6;

interface Served {
  readonly url: URL;
  readonly engine: ScriptedEngine;
  readonly session: StartedSession;
}

async function serve(): Promise<Served> {
  const { proxy, url } = await listeningProxy({ settings: { connections: connectionLimits({ maxConnections: MAX }) } });
  return { url: new URL(url), engine: proxy.engine, session: await proxy.session() };
}

async function serveBehindGateway(): Promise<Served> {
  const { proxy, url } = await startWorker("one");
  const gateway = await Gateway.start({ urls: [url] }, 60, 1 << 26, true, { connections: { maxConnections: MAX } });
  return { url: new URL(gateway.url), engine: proxy.engine, session: await gateway.session() };
}

function ask({ url, session }: Served, extra: object = {}): RawClient {
  const client = new RawClient(url, session);
  client.read();
  const body = { model: "tiny", messages: [{ role: "user", content: "hello" }], ...extra };
  client.send({ path: "/v1/chat/completions", body });
  return client;
}

/** Opens many more connections than there may be, each with the same text. Returns once the first of them are closed. */
async function flood({ port }: URL, text: string): Promise<void> {
  const flooding = await Promise.all(Array.from({ length: MAX * 4 }, () => openConnection(port, text)));
  await until(() => flooding.filter(({ socket }) => socket.destroyed).length >= MAX * 3);
}

const COMPLETE = '"finish_reason":"stop"';

describe.each([
  ["server", serve],
  ["gateway", serveBehindGateway],
])("a %s whose connections are all open", (_, start) => {
  it.each([
    ["nothing", ""],
    ["a part of the headers", "POST /v1/chat/completions HTTP/1.1\r\n"],
    [
      "a part of a body",
      `${requestHead("POST", "/v1/chat/completions", "content-type: application/json", "content-length: 9")}{`,
    ],
    ["a request without a key", requestHead("GET", "/livez")],
    ["a request with a wrong key", requestHead("GET", "/v1/models", "authorization: Bearer sk-wrong")],
  ])("finishes calls in flight, and accepts new ones, if others send %s", async (_, text) => {
    const served = await start();
    const release = served.engine.hold();
    const waiting = ask(served);
    await until(() => served.engine.calls.length === 1);
    await flood(served.url, text);
    const late = ask(served);
    await until(() => served.engine.calls.length === 2);
    await flood(served.url, text);
    release();
    await until(() => late.received.includes(COMPLETE));
    expect(waiting.received).toContain(COMPLETE);
  });

  it("finishes a stream that has begun", async () => {
    const served = await start();
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    served.engine.replies.push({
      ids: [300, 301],
      perFrame: 1,
      beforeFrame: (frame) => (frame === 1 ? gate : undefined),
    });
    const client = ask(served, { stream: true });
    await until(() => client.received.includes("data: "));
    await flood(served.url, "");
    release();
    await until(() => client.received.includes("[DONE]"));
    expect(client.received).toContain(COMPLETE);
  });

  it("keeps connections of clients with a key for their next calls", async () => {
    const served = await start();
    const client = ask(served);
    await until(() => client.received.includes(COMPLETE));
    await flood(served.url, "");
    expect(client.socket.destroyed).toBe(false);
  });
});
