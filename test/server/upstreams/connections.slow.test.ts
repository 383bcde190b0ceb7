import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { eventLoop } from "../../../src/support/async/event-loop.js";
import { readSample } from "../../helpers/metrics-text.js";
import type { Proxy } from "../../helpers/proxy.js";
import { RawClient } from "../../helpers/raw-client.js";
import { user } from "../../helpers/turn.js";
import { until } from "../../helpers/until.js";
import { JUDGE, listenProxy, series, startUpstream, upstreamAt } from "./upstream.js";

/** Calls to upstreams while their client or the upstream is slow, leaves or breaks off. */

const CHAT = "/v1/chat/completions";
const messages = [user("Is it right?")];
const EVENTS = { "content-type": "text/event-stream" };

/** Resolves when a call with this outcome is counted. */
async function counted(proxy: Proxy, outcome: string): Promise<void> {
  const read = async () => (await proxy.request({ url: "/metrics" })).raw.toString();
  while (readSample(await read(), series(outcome)) === undefined) await eventLoop.yield();
}

describe("an upstream that fails", () => {
  it("cuts the answer to the client if its own answer breaks off", async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n", () => response.socket?.destroy());
    });
    const { proxy, url } = await listenProxy([upstreamAt(upstream.url)]);
    const { key } = await proxy.session();
    const reply = await fetch(`${url}${CHAT}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: JUDGE }),
    });
    await expect(reply.text()).rejects.toThrow("terminated");
    await counted(proxy, "unavailable");
  });
});

describe("a client", () => {
  it.each([false, true])("aborts the call at the upstream when it disconnects (answer begun: %s)", async (begins) => {
    let closed: Promise<unknown> | undefined;
    const upstream = await startUpstream((_, response) => {
      closed = once(response, "close");
      if (begins) response.writeHead(200, EVENTS).write("data: 1\n\n");
    });
    const { proxy, url } = await listenProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    const client = new RawClient(new URL(url), session);
    client.read();
    client.send({ path: CHAT, body: { model: JUDGE, messages } });
    await until(() => closed !== undefined && (!begins || client.received.includes("data: 1")));
    client.leave();
    await closed;
    await counted(proxy, "aborted");
    const record = (await proxy.request({ url: `/rl/sessions/${session.id}` })).json();
    expect(record).toMatchObject({ interaction_count: 0, upstream_calls: 1, aborted_calls: 0 });
  });

  it("that has closed only its side gets the whole answer, with comments between events", async () => {
    let end: (() => void) | undefined;
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, EVENTS).write("data: 1\n\n");
      end = () => void response.end("data: 2\n\n");
    });
    const { proxy, url } = await listenProxy([upstreamAt(upstream.url)]);
    const client = new RawClient(new URL(url), await proxy.session());
    client.read();
    client.send({ path: CHAT, body: { model: JUDGE } });
    await until(() => client.received.includes("data: 1"));
    client.halfClose();
    await until(() => client.received.includes("\n:\n\n"));
    end?.();
    await until(() => client.received.includes("data: 2"));
    await counted(proxy, "answered");
    const events = [...client.received.matchAll(/^(?:data: \d|:)$/gm)].map(([line]) => line);
    expect([events.at(0), events.at(1), events.at(-1)]).toEqual(["data: 1", ":", "data: 2"]);
  });

  it("that does not read slows the upstream down", async () => {
    const total = 64 * 1024 * 1024;
    const piece = Buffer.alloc(64 * 1024, "x");
    let written = 0;
    let stalled = false;
    const upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { "content-length": String(total) });
      for (; written < total; written += piece.length) {
        if (response.write(piece)) continue;
        // Sockets on this machine have buffers of some megabytes. A write that waits for several turns waits for the client.
        const drained = once(response, "drain").then(() => true);
        const waited = new Promise<false>((resolve) => setTimeout(() => resolve(false), 300));
        stalled ||= !(await Promise.race([drained, waited]));
        await drained;
      }
      response.end();
    });
    const { proxy, url } = await listenProxy([upstreamAt(upstream.url)]);
    const client = new RawClient(new URL(url), await proxy.session());
    client.send({ path: CHAT, body: { model: JUDGE } });
    await until(() => stalled);
    expect(written).toBeLessThan(total / 2);
    let received = 0;
    client.socket.removeAllListeners("data").on("data", (bytes: Buffer) => (received += bytes.length));
    client.read();
    await until(() => received > total);
  });
});
