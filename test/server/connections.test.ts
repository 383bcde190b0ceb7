import { once } from "node:events";
import { connect } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import type { StartedSession } from "../helpers/proxy.js";
import { question, RawClient } from "../helpers/raw-client.js";
import { requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";

/** Clients that close their side after the request, and clients that send requests before they have the answer. */

const CHAT = "/v1/chat/completions";

let server: ListeningProxy<ScriptedEngine>;
let url: URL;
let session: StartedSession;
beforeEach(async () => {
  server = await listeningProxy();
  url = new URL(server.url);
  session = await server.proxy.session();
});

const readSession = () => server.proxy.context.registry.get(session.id);
const recorded = () => readSession().interactionCount;

async function halfClosedCall(extra: object): Promise<RawClient> {
  const { engine } = server.proxy;
  const release = engine.hold();
  const client = new RawClient(url, session);
  client.read();
  client.send(question("hello", extra));
  client.halfClose();
  await until(() => engine.calls.length === 1);
  await until(() => client.received.includes("100 Continue"));
  release();
  await until(() => client.socket.readableEnded);
  return client;
}

it("reads a key behind thousands of other headers", async () => {
  const headers = "a:b\r\n".repeat(2500);
  const client = new RawClient(url, session);
  client.read();
  client.socket.write(
    `GET /v1/models HTTP/1.1\r\nhost: x\r\n${headers}authorization: Bearer ${session.key}\r\nconnection: close\r\n\r\n`,
  );
  await until(() => client.socket.readableEnded);
  expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
});

describe("a client that closes its side after the request", () => {
  it("receives its answer, which is recorded as delivered", async () => {
    const { received } = await halfClosedCall({});
    expect(received).toContain('"finish_reason":"stop"');
    expect(readSession().leftOut.list()).toEqual([]);
    expect(recorded()).toBe(1);
  });

  it("receives its stream to the end", async () => {
    const { received } = await halfClosedCall({ stream: true });
    expect(received).toContain("data: [DONE]");
    expect(recorded()).toBe(1);
  });

  it("receives keep-alives as soon as its stream has begun", async () => {
    const { engine } = server.proxy;
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    engine.replies.push({ ids: [300, 301], perFrame: 1, beforeFrame: (frame) => (frame === 1 ? gate : undefined) });
    const client = new RawClient(url, session);
    client.read();
    client.send(question("hello", { stream: true }));
    await until(() => client.received.includes("data: "));
    client.halfClose();
    await until(() => client.received.includes(": keep-alive"));
    release();
    await until(() => client.socket.readableEnded);
    expect(client.received).toContain("[DONE]");
  });

  it("receives the answer of an export that waits", async () => {
    await server.proxy.chat(session, [{ role: "user", content: "hello" }]);
    const admin = new RawClient(url, { id: "", key: "sk-admin-0123456789abcdef" });
    admin.read();
    admin.send({ path: "/export_trajectories", body: { session_id: session.id, wait_seconds: 60 } });
    admin.halfClose();
    await until(() => admin.received.includes("100 Continue"));
    await server.proxy.end(session);
    await until(() => admin.socket.readableEnded);
    expect(admin.received).toContain('"interactions"');
  });

  it("receives its answer through a gateway", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const started = await gateway.session();
    const release = worker.proxy.engine.hold();
    const client = new RawClient(new URL(gateway.url), started);
    client.read();
    client.send(question("hello"));
    client.halfClose();
    await until(() => client.received.includes("100 Continue"));
    release();
    await until(() => client.socket.readableEnded);
    expect(client.received).toContain('"finish_reason":"stop"');
  });
});

describe.each([{}, { stream: true }])("a client that is gone during its call (%o)", (extra) => {
  const call = question("hello", extra);

  it("has its call aborted, even though its last packet looks like a closed side", async () => {
    server.proxy.engine.hold();
    const client = new RawClient(url, session);
    client.send(call);
    await until(() => server.proxy.engine.calls.length === 1);
    client.leave();
    await until(() => server.proxy.engine.aborted.length === 1);
    expect(recorded()).toBe(0);
  });

  it("has its call aborted if it had closed its side before", async () => {
    server.proxy.engine.hold();
    const client = new RawClient(url, session);
    client.read();
    client.send(call);
    client.halfClose();
    await until(() => client.received.includes("100 Continue"));
    client.leave();
    await until(() => server.proxy.engine.aborted.length === 1);
    expect(recorded()).toBe(0);
  });
});

it("treats the closed side of an HTTP/1.0 client as a disconnect, because the client cannot be probed", async () => {
  server.proxy.engine.hold();
  const body = JSON.stringify(question("hello").body);
  const head = `POST ${CHAT} HTTP/1.0\r\nauthorization: Bearer ${session.key}\r\ncontent-type: application/json\r\n`;
  const socket = connect({ port: Number(url.port), host: url.hostname, allowHalfOpen: true });
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
  await until(() => server.proxy.engine.calls.length === 1);
  socket.end();
  await until(() => server.proxy.engine.aborted.length === 1);
  expect(recorded()).toBe(0);
  socket.destroy();
});

describe("a client that sends requests before it has the answer", () => {
  const GET = requestHead("GET", "/livez");

  it.each([
    ["an answer", {}],
    ["a stream", { stream: true }],
  ])("receives %s, and then its connection is closed", async (_, extra) => {
    const { engine } = server.proxy;
    const release = engine.hold();
    const client = new RawClient(url, session);
    client.read();
    let requests = 0;
    server.proxy.app.server.on("request", () => requests++);
    client.send(question("one", extra));
    client.send({ path: "/v1/chat/completions", body: {} });
    client.socket.write(GET.repeat(10));
    await until(() => engine.calls.length === 1 && requests >= 2);
    release();
    await until(() => client.socket.readableEnded);
    expect(client.received).toMatch(/^HTTP\/1\.1 200 OK.*stop/s);
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    await until(() => readSession().calls.size === 0);
    expect([recorded(), engine.calls.length]).toEqual([1, 1]);
  });

  it("receives the rest of a stream that has begun, and then its connection is closed", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    server.proxy.engine.replies.push({
      ids: [300, 301],
      perFrame: 1,
      beforeFrame: (frame) => (frame === 1 ? gate : undefined),
    });
    const client = new RawClient(url, session);
    client.read();
    client.send(question("one", { stream: true }));
    await until(() => client.received.includes("data: "));
    let received = 0;
    server.proxy.app.server.on("request", () => received++);
    client.socket.write(GET);
    await until(() => received === 1);
    release();
    await until(() => client.socket.readableEnded);
    expect(client.received).toContain("data: [DONE]");
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
  });

  it("receives the answer in progress if the next bytes are not HTTP", async () => {
    const { engine } = server.proxy;
    const release = engine.hold();
    const client = new RawClient(url, session);
    client.read();
    client.send(question("one"));
    await until(() => engine.calls.length === 1);
    const refused = once(server.proxy.app.server, "clientError");
    client.socket.write("no request\r\n\r\n");
    await refused;
    release();
    await until(() => client.socket.readableEnded);
    expect(client.received).toMatch(/200 OK.*"finish_reason":"stop"/is);
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
  });

  it("leaves no trace of its requests if it disconnects", async () => {
    const { engine } = server.proxy;
    engine.hold();
    const client = new RawClient(url, session);
    for (const content of ["one", "two"]) client.send(question(content));
    await until(() => engine.calls.length === 1);
    client.leave();
    await until(() => engine.aborted.length === 1);
    await until(() => server.proxy.app.connections.openAnswers === 0);
    expect([recorded(), engine.calls.length]).toEqual([0, 1]);
  });

  it.each([
    ["many", GET.repeat(100)],
    ["large", requestHead("GET", "/livez", `x-padding: ${"x".repeat(15_000)}`).repeat(10)],
  ])("has its connection reset if they are %s", async (_, requests) => {
    server.proxy.engine.hold();
    const client = new RawClient(url, session);
    client.send(question("one"));
    await until(() => server.proxy.engine.calls.length === 1);
    client.socket.write(requests);
    await until(() => server.proxy.engine.aborted.length === 1);
    expect(server.proxy.app.connections.openAnswers).toBe(0);
  });
});
